#include "preprocessor/cost_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "preprocessor/cost_model.hpp"

namespace mpisim::preprocessor {
namespace {

constexpr const char* accumulator = "__mpisim_acc";

using Counts = std::map<const clang::FunctionDecl*, std::size_t>;

// How often functions are mentioned, in any way.
struct Mentions : clang::RecursiveASTVisitor<Mentions> {
  Counts all;

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()))
      ++all[function->getCanonicalDecl()];
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (const auto* at_end = variable->getAttr<clang::CleanupAttr>())
      ++all[at_end->getFunctionDecl()->getCanonicalDecl()];
    return true;
  }
};

// How often a statement calls functions where the cost of the call is paid, and only if it is executed: not
// in lengths of arrays and operands of assembly, nor where a condition decides within an expression, both
// sides of which are paid.
void count_sure_calls(const clang::Stmt* statement, Counts& calls) {
  if (!statement || llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::ConstantExpr, clang::AsmStmt,
                              clang::IndirectGotoStmt>(statement))
    return;
  if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(statement)) {
    for (const clang::Decl* declaration : declarations->decls()) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
      if (variable && !variable->hasGlobalStorage()) count_sure_calls(variable->getInit(), calls);
    }
    return;
  }
  if (const auto* selection = llvm::dyn_cast<clang::GenericSelectionExpr>(statement))
    return count_sure_calls(selection->getResultExpr(), calls);
  if (const auto* choice = llvm::dyn_cast<clang::ChooseExpr>(statement))
    return count_sure_calls(choice->getChosenSubExpr(), calls);
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(statement))
    return count_sure_calls(choice->getCond(), calls);
  if (const auto* choice = llvm::dyn_cast<clang::BinaryConditionalOperator>(statement))
    return count_sure_calls(choice->getCommon(), calls);
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(statement); binary && binary->isLogicalOp())
    return count_sure_calls(binary->getLHS(), calls);
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(statement))
    if (const clang::FunctionDecl* callee = call->getDirectCallee();
        callee && classify_call(call) == CallKind::function)
      ++calls[callee->getCanonicalDecl()];
  for (const clang::Stmt* child : statement->children()) count_sure_calls(child, calls);
}

// Facts about what a statement contains, however deep.
struct Contents : clang::RecursiveASTVisitor<Contents> {
  bool jump = false;     // leaves the sequence of statements that it stands in
  bool label = false;    // can be entered from elsewhere
  bool special = false;  // setjmp
  bool enters = false;   // calls something that may enter the simulator
  bool varies = false;   // does not cost the same each time
  int loops = 0;
  const std::set<const clang::FunctionDecl*>* quiet = nullptr;

  static Contents of(const clang::Stmt* statement,
                     const std::set<const clang::FunctionDecl*>* quiet = nullptr) {
    Contents contents;
    contents.quiet = quiet;
    contents.TraverseStmt(const_cast<clang::Stmt*>(statement));
    return contents;
  }
  bool VisitReturnStmt(clang::ReturnStmt*) { return jump = true; }
  bool VisitGotoStmt(clang::GotoStmt*) { return jump = true; }
  bool VisitIndirectGotoStmt(clang::IndirectGotoStmt*) { return jump = true; }
  bool VisitBreakStmt(clang::BreakStmt*) { return (jump = jump || loops == 0), true; }
  bool VisitContinueStmt(clang::ContinueStmt*) { return (jump = jump || loops == 0), true; }
  bool VisitLabelStmt(clang::LabelStmt*) { return label = true; }
  bool VisitSwitchCase(clang::SwitchCase*) { return label = true; }
  bool VisitIfStmt(clang::IfStmt*) { return varies = true; }
  bool VisitCallExpr(clang::CallExpr* call) {
    const CallKind kind = classify_call(call);
    special = special || kind == CallKind::special;
    varies = varies || (kind == CallKind::block && !constant_length(call));
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (kind == CallKind::function && !(callee && quiet && quiet->count(callee->getCanonicalDecl())))
      enters = true;
    return true;
  }
  bool TraverseWhileStmt(clang::WhileStmt* s) { return inside(&Base::TraverseWhileStmt, s); }
  bool TraverseDoStmt(clang::DoStmt* s) { return inside(&Base::TraverseDoStmt, s); }
  bool TraverseForStmt(clang::ForStmt* s) { return inside(&Base::TraverseForStmt, s); }
  bool TraverseSwitchStmt(clang::SwitchStmt* s) { return inside(&Base::TraverseSwitchStmt, s); }
  bool shouldTraversePostOrder() const { return false; }

 private:
  using Base = clang::RecursiveASTVisitor<Contents>;
  template <typename Function, typename Statement>
  bool inside(Function traverse, Statement* statement) {
    varies = true;
    ++loops;
    const bool result = (this->*traverse)(statement, nullptr);
    --loops;
    return result;
  }
};

class Counters {
 public:
  Counters(clang::ASTContext& context, const SourceText& source, TextEdits& edits)
      : context_(context), source_(source), edits_(edits) {
    CostVector byte;
    byte.add(MPISIM_COST_BYTE);
    table_.push_back(byte);  // entry 0 prices one byte
  }

  void run() {
    std::vector<const clang::FunctionDecl*> functions;
    for (const clang::Decl* declaration : context_.getTranslationUnitDecl()->decls()) {
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
      if (function && function->doesThisDeclarationHaveABody() && is_counted(function))
        functions.push_back(function);
    }
    find_constant_functions(functions, find_quiet_functions(functions));
    for (const clang::FunctionDecl* function : functions)
      if (!constant_.count(function->getCanonicalDecl())) insert_into(function);
  }

  std::string tables() const {
    std::string costs;
    for (const CostVector& cost : table_) costs += ".long " + cost.spell() + "\\n";
    return fmt::format(
        "__asm__(\".pushsection mpisim_cost,\\\"a\\\",@progbits\\n.balign 4\\n{}.popsection\\n"
        ".pushsection mpisim_price,\\\"aw\\\",@progbits\\n.balign 8\\n__mpisim_prices:\\n.skip "
        "{}\\n.popsection\");",
        costs, 8 * table_.size());
  }

 private:
  bool is_counted(const clang::FunctionDecl* function) const {
    if (context_.getSourceManager().isInSystemHeader(function->getLocation())) return false;
    // The optimizer may drop or merge calls of functions without effects.
    return !function->hasAttr<clang::NakedAttr>() && !function->hasAttr<clang::PureAttr>() &&
           !function->hasAttr<clang::ConstAttr>();
  }

  // Functions of this unit that cannot enter the simulator: the caller need not flush before them. Returned
  // with callees before callers.
  std::vector<const clang::FunctionDecl*> find_quiet_functions(
      const std::vector<const clang::FunctionDecl*>& functions) {
    std::vector<const clang::FunctionDecl*> found;
    for (bool changed = true; changed;) {
      changed = false;
      for (const clang::FunctionDecl* function : functions) {
        if (function->hasExternalFormalLinkage() || quiet_.count(function->getCanonicalDecl())) continue;
        if (Contents::of(function->getBody(), &quiet_).enters) continue;
        quiet_.insert(function->getCanonicalDecl());
        found.push_back(function);
        changed = true;
      }
    }
    return found;
  }

  // What costs the same each time and is only called where the call is paid is counted there. Else a small
  // function, inlined into a loop, would count in memory each time around, where the loop's own costs are one
  // product.
  void find_constant_functions(const std::vector<const clang::FunctionDecl*>& functions,
                               const std::vector<const clang::FunctionDecl*>& quiet) {
    Mentions mentions;
    mentions.TraverseAST(context_);
    Counts calls;
    for (const clang::FunctionDecl* function : functions) count_sure_calls(function->getBody(), calls);
    for (const clang::FunctionDecl* function : quiet) {
      const clang::FunctionDecl* name = function->getCanonicalDecl();
      const auto* body = llvm::dyn_cast<clang::CompoundStmt>(function->getBody());
      if (!body || calls[name] == 0 || calls[name] != mentions.all[name] || !costs_the_same_each_time(*body))
        continue;
      CostVector cost;
      for (const clang::Stmt* statement : body->body()) visit(statement, cost);
      constant_.emplace(name, cost);
    }
  }

  static bool costs_the_same_each_time(const clang::CompoundStmt& body) {
    return std::all_of(body.body_begin(), body.body_end(), [&](const clang::Stmt* statement) {
      if (statement == body.body_back())
        if (const auto* result = llvm::dyn_cast<clang::ReturnStmt>(statement))
          statement = result->getRetValue();
      if (!statement) return true;
      const Contents contents = Contents::of(statement);
      return !contents.jump && !contents.label && !contents.special && !contents.varies;
    });
  }

  void insert_into(const clang::FunctionDecl* function) {
    const auto* body = llvm::dyn_cast<clang::CompoundStmt>(function->getBody());
    if (!body) return;
    const bool keeps_place = Contents::of(body).special;  // locals must survive longjmp
    edits_.insert_statement(after_brace(body),
                            fmt::format("{}unsigned long {} __attribute__((cleanup(__mpisim_flush)))=0;",
                                        keeps_place ? "volatile " : "", accumulator));
    sequence({body->body_begin(), body->body_end()}, after_brace(body), {}, true);
  }

  std::size_t after_brace(const clang::CompoundStmt* body) const {
    return source_.offset(body->getLBracLoc()) + 1;
  }

  // Statements that follow one another, beginning at `offset`; `cost` is paid when the sequence is entered.
  void sequence(const std::vector<const clang::Stmt*>& statements, std::size_t offset, CostVector cost,
                bool entered) {
    bool started = true;
    for (const clang::Stmt* statement : statements) {
      if (!started) {
        offset = begin_of(statement);
        started = true;
      }
      if (const clang::Stmt* inner = behind_labels(statement)) {
        if (entered) emit(offset, cost);
        cost = CostVector();
        entered = true;
        statement = inner;
        offset = begin_of(statement);
      }
      visit(statement, cost);
      if (is_a_boundary(Contents::of(statement, &quiet_))) {
        if (entered) emit(offset, cost);
        cost = CostVector();
        started = false;
      }
    }
    if (entered && (started || statements.empty())) emit(offset, cost);
  }

  // Whether what stands behind a statement is paid separately: it need not be executed as often, or not at
  // the same simulated time.
  static bool is_a_boundary(const Contents& contents) {
    return contents.jump || contents.label || contents.enters;
  }

  void emit(std::size_t offset, const CostVector& cost) {
    if (cost.is_zero()) return;
    edits_.insert_statement(offset, fmt::format("{}+=__mpisim_prices[{}];", accumulator, table_.size()));
    table_.push_back(cost);
  }

  // The statement behind `label:`, `case 1:` and `default:`; null if there is none of them.
  static const clang::Stmt* behind_labels(const clang::Stmt* statement) {
    const clang::Stmt* inner = statement;
    for (;;) {
      if (const auto* label = llvm::dyn_cast<clang::LabelStmt>(inner))
        inner = label->getSubStmt();
      else if (const auto* choice = llvm::dyn_cast<clang::SwitchCase>(inner))
        inner = choice->getSubStmt();
      else
        return inner == statement ? nullptr : inner;
    }
  }

  // A piece of code with a cost of its own: the body of a loop, a branch.
  void block(const clang::Stmt* body, const CostVector& cost = {}, bool entered = true) {
    if (!body) return;
    if (const auto* compound = llvm::dyn_cast<clang::CompoundStmt>(body)) {
      sequence({compound->body_begin(), compound->body_end()}, after_brace(compound), cost, entered);
      return;
    }
    const std::size_t begin = begin_of(body);
    edits_.insert_statement(begin, "{");
    sequence({body}, begin, cost, entered);
    edits_.insert_closing(source_.end_of_statement(body), "}");
  }

  CostVector branch(const clang::Expr* condition) {
    CostVector cost = condition ? evaluate(condition) : CostVector();
    cost.add(MPISIM_COST_BRANCH);
    return cost;
  }

  void visit(const clang::Stmt* statement, CostVector& cost) {
    if (const auto* compound = llvm::dyn_cast<clang::CompoundStmt>(statement)) {
      if (is_a_boundary(Contents::of(statement, &quiet_))) return block(compound);
      for (const clang::Stmt* child : compound->body()) visit(child, cost);
    } else if (const auto* condition = llvm::dyn_cast<clang::IfStmt>(statement)) {
      cost += branch(condition->getCond());
      block(condition->getThen());
      block(condition->getElse());
    } else if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(statement)) {
      const CostVector test = branch(loop->getCond());
      cost += test;
      block(loop->getBody(), test);
    } else if (const auto* repeat = llvm::dyn_cast<clang::DoStmt>(statement)) {
      block(repeat->getBody(), branch(repeat->getCond()));
    } else if (const auto* count = llvm::dyn_cast<clang::ForStmt>(statement)) {
      if (count->getInit()) visit(count->getInit(), cost);
      CostVector each = branch(count->getCond());
      cost += each;
      if (count->getInc()) each += evaluate(count->getInc());
      block(count->getBody(), each);
    } else if (const auto* choice = llvm::dyn_cast<clang::SwitchStmt>(statement)) {
      cost += branch(choice->getCond());
      block(choice->getBody(), {}, false);
    } else if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(statement)) {
      for (const clang::Decl* declaration : declarations->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        if (variable && !variable->hasGlobalStorage() && variable->getInit())
          cost += evaluate(variable->getInit());
      }
    } else if (const auto* expression = llvm::dyn_cast<clang::Expr>(statement)) {
      cost += evaluate(expression);
    } else if (const auto* result = llvm::dyn_cast<clang::ReturnStmt>(statement)) {
      if (result->getRetValue()) cost += evaluate(result->getRetValue());
    } else if (const auto* attributed = llvm::dyn_cast<clang::AttributedStmt>(statement)) {
      visit(attributed->getSubStmt(), cost);
    } else if (const auto* labelled = behind_labels(statement)) {
      sequence({labelled}, begin_of(labelled), {}, true);
    } else if (llvm::isa<clang::AsmStmt>(statement)) {
      cost.add(MPISIM_COST_INT);
    }
  }

  CostVector evaluate(const clang::Expr* expression) {
    flush_before_calls(expression);
    const auto add_block = [this](const clang::CompoundStmt* body, CostVector& total) {
      if (is_a_boundary(Contents::of(body, &quiet_)))
        block(body);
      else
        for (const clang::Stmt* child : body->body()) visit(child, total);
    };
    const auto add_function = [this](const clang::FunctionDecl* callee, CostVector& total) {
      const auto found = constant_.find(callee->getCanonicalDecl());
      if (found != constant_.end()) total += found->second;
    };
    return cost_of(expression, context_, add_block, add_function);
  }

  void flush_before_calls(const clang::Stmt* statement) {
    if (!statement || llvm::isa<clang::UnaryExprOrTypeTraitExpr>(statement) ||
        llvm::isa<clang::StmtExpr>(statement) || llvm::isa<clang::ConstantExpr>(statement))
      return;
    if (const auto* selection = llvm::dyn_cast<clang::GenericSelectionExpr>(statement))
      return flush_before_calls(selection->getResultExpr());
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(statement)) prepare(call);
    for (const clang::Stmt* child : statement->children()) flush_before_calls(child);
  }

  void prepare(const clang::CallExpr* call) {
    if (!prepared_.insert(call).second) return;
    const CallKind kind = classify_call(call);
    if (kind == CallKind::block) {
      if (constant_length(call)) return;
      const clang::SourceRange range = call->getArg(2)->getSourceRange();
      edits_.insert(source_.offset(range.getBegin()), fmt::format("__mpisim_bytes(&{},", accumulator));
      edits_.insert_closing(source_.end_of_token(range.getEnd()), ")");
      return;
    }
    if (kind != CallKind::function) return;
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (callee &&
        (callee->isImplicit() || callee->getBuiltinID() != 0 || quiet_.count(callee->getCanonicalDecl())))
      return;
    const clang::SourceRange range = call->getCallee()->getSourceRange();
    edits_.insert(source_.offset(range.getBegin()), fmt::format("(__mpisim_flush(&{}),", accumulator));
    edits_.insert_closing(source_.end_of_token(range.getEnd()), ")");
  }

  // A pragma belongs to the statement behind it, so what is inserted goes in front of the pragma.
  std::size_t begin_of(const clang::Stmt* statement) const {
    return source_.before_directives(source_.offset(statement->getBeginLoc()));
  }

  clang::ASTContext& context_;
  const SourceText& source_;
  TextEdits& edits_;
  std::vector<CostVector> table_;
  std::set<const clang::FunctionDecl*> quiet_;
  std::map<const clang::FunctionDecl*, CostVector> constant_;  // cost of a call, without the call itself
  std::set<const clang::CallExpr*> prepared_;
};

}  // namespace

std::string insert_counters(clang::ASTContext& context, const SourceText& source, const std::string& segment,
                            TextEdits& edits) {
  Counters counters(context, source, edits);
  counters.run();
  return fmt::format(
      "extern unsigned long {} __mpisim_counted;"
      "extern const unsigned long __mpisim_prices[] __attribute__((visibility(\"hidden\")));"
      "static inline __attribute__((always_inline,unused)) void __mpisim_flush(volatile unsigned long*a)"
      "{{__mpisim_counted+=*(unsigned long*)a;*(unsigned long*)a=0;}}"
      "static inline __attribute__((always_inline,unused)) unsigned long "
      "__mpisim_bytes(volatile unsigned long*a,unsigned long n)"
      "{{*(unsigned long*)a+=n*__mpisim_prices[0];return n;}}{}",
      segment, counters.tables());
}

}  // namespace mpisim::preprocessor

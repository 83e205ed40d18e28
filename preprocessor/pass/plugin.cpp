// What mpisimcc adds to the optimizer: a twin with counters beside each function, and ranks' private data.
#include <memory>

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "preprocessor/pass/counted_twin.hpp"
#include "preprocessor/pass/cycle_counter.hpp"
#include "preprocessor/pass/privatize.hpp"
#include "preprocessor/pass/unit_facts.hpp"
#include "preprocessor/pass/waiting_loops.hpp"

namespace {

using namespace mpisim::preprocessor;

// Copies the module before anything is done to it.
struct KeepCopy : llvm::PassInfoMixin<KeepCopy> {
  std::shared_ptr<std::unique_ptr<llvm::Module>> copy;

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    if (unit_facts().counted) *copy = make_counted_copy(module);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// The optimizer's last step.
struct Finish : llvm::PassInfoMixin<Finish> {
  std::shared_ptr<std::unique_ptr<llvm::Module>> copy;
  bool optimize = false;

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    const bool counted = *copy != nullptr;
    if (counted) {
      optimize_counted_copy(**copy, optimize);
      add_counted_copy(module, std::move(*copy));
    }
    auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    functions.clear();
    mark_waiting_loops(module, functions);
    read_simulated_cycles(module);
    privatize(module, functions, counted);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "mpisim", "1", [](llvm::PassBuilder& builder) {
            const auto copy = std::make_shared<std::unique_ptr<llvm::Module>>();
            builder.registerPipelineStartEPCallback(
                [copy](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                  KeepCopy keep;
                  keep.copy = copy;
                  passes.addPass(std::move(keep));
                });
            builder.registerOptimizerLastEPCallback(
                [copy](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
                  Finish finish;
                  finish.copy = copy;
                  finish.optimize = level != llvm::OptimizationLevel::O0;
                  passes.addPass(std::move(finish));
                });
          }};
}

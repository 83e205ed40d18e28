#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/control_channel.hpp"
#include "app/json_file.hpp"
#include "app/processes.hpp"

using namespace mpisim::app;

namespace {

struct Folder {
  std::string path = "/tmp/mpisim-test-XXXXXX";
  Folder() { REQUIRE(mkdtemp(path.data()) != nullptr); }
  ~Folder() {
    const std::string command = "rm -rf " + path;
    CHECK(std::system(command.c_str()) == 0);
  }
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a host process gets our output and tells how it ended") {
  const Folder folder;
  ControlServer server(folder.path + "/control");
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);  // as mpirun does
    const ControlClient client(folder.path + "/control");
    client.report(7, "exit");
    _exit(client.connected() ? 0 : 1);
  }
  FileDescriptor connection;
  while (!connection) connection = server.accept();
  const auto ending = ControlServer::receive(connection.get());
  REQUIRE(ending);
  CHECK(ending->exit_code == 7);
  CHECK(ending->reason == "exit");
  CHECK_FALSE(ControlServer::receive(connection.get()));
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("without a server the output stays where it is") {
  const ControlClient client("/tmp/mpisim-there-is-no-such-socket");
  CHECK_FALSE(client.connected());
  client.report(1, "exit");
}

TEST_CASE("too long a path for a socket is explained") {
  CHECK_THROWS_WITH(ControlServer("/tmp/" + std::string(200, 'x')), Catch::Contains("TMPDIR"));
}

TEST_CASE("results are written whole or not at all") {
  const Folder folder;
  const std::string path = folder.path + "/x.json";
  write_atomically(path, "one\n");
  write_atomically(path, "two\n");
  CHECK(content(path) == "two\n");
  CHECK_THROWS_WITH(write_atomically(folder.path + "/no/x.json", ""), Catch::Contains("/no/x.json"));
}

TEST_CASE("how a child ended") {
  const auto run = [](const std::string& script) {
    ChildTree tree;
    tree.start({"sh", "-c", script});
    return tree.wait({});
  };
  CHECK(run("exit 3").code == 3);
  CHECK_FALSE(run("exit 3").signalled);
  CHECK(run("kill -9 $$").signalled);
  CHECK(run("kill -9 $$").code == 9);
}

TEST_CASE("nothing that a child has started survives") {
  const Folder folder;
  {
    ChildTree tree;
    tree.start({"sh", "-c", "setsid sh -c 'sleep 100' & echo $! > " + folder.path + "/pid; exit 0"});
    tree.wait({});
    tree.kill_all();
  }
  const auto pid = static_cast<pid_t>(std::stol(content(folder.path + "/pid")));
  CHECK(kill(pid, 0) != 0);
}

TEST_CASE("a program that cannot be started") {
  ChildTree tree;
  CHECK_THROWS_WITH(tree.start({"/no/such/program"}), Catch::Contains("/no/such/program: No such file"));
}

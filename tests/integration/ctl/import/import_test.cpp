#include "ctl/import/import.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "integration/ctl/import/fixture.h"
#include "stores/access/client_registry.h"

namespace svc::integration {
namespace {

TEST_F(Import, OperationsD5PrintsTheNumberOfWrittenRecords) {
  const Lines lines{account_line(1), media_line("a", 1), media_line("b", 1)};
  const Ran first = import(lines);
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.err, "");
  EXPECT_EQ(first.out,
            "account: 1 added, 0 changed, 0 unchanged\nmedia: 2 added, 0 changed, 0 unchanged\n");
  const std::string digest = server_.digest();
  const Ran second = import(lines);
  EXPECT_EQ(second.status, 0);
  EXPECT_EQ(second.out,
            "account: 0 added, 0 changed, 1 unchanged\nmedia: 0 added, 0 changed, 2 unchanged\n");
  EXPECT_EQ(server_.digest(), digest);
  EXPECT_EQ(import({account_line(1), media_line("a", 1, "", "Renamed")}).out,
            "account: 0 added, 0 changed, 1 unchanged\nmedia: 0 added, 1 changed, 0 unchanged\n");
}

TEST_F(Import, OperationsD5WritesNothingIfALineIsRefused) {
  const std::string before = server_.digest();
  const Ran ran = import({account_line(1), "nonsense", media_line("a", 1), media_line("b", 2)});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            path() + ":2: not JSON: Invalid value. (at byte 2)\n" + path() +
                ":4: refers to the account 2, which is neither in the file nor in the catalog\n"
                "nothing was written: 2 lines refused; correct them, or skip them with "
                "--keep-going\n");
  EXPECT_EQ(server_.digest(), before);
}

TEST_F(Import, OperationsD5WritesTheOtherLinesWithKeepGoing) {
  const Ran ran = import({account_line(1), "nonsense", media_line("a", 1), media_line("b", 2),
                          playlist_line("l", 1, {"b"}), playlist_line("k", 1, {"a"})},
                         {"--keep-going"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find(path() + ":2: "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(path() + ":4: "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(path() + ":5: refers to the media b"), std::string::npos) << ran.err;
  EXPECT_TRUE(ran.err.ends_with("3 lines refused and skipped\n")) << ran.err;
  EXPECT_EQ(ran.out,
            "account: 1 added, 0 changed, 0 unchanged\nmedia: 1 added, 0 changed, 0 unchanged\n"
            "playlist: 1 added, 0 changed, 0 unchanged\n");
  EXPECT_EQ(server_.dump().size(), 3u);
  EXPECT_EQ(dangling(server_.dump()), Lines{});
  EXPECT_EQ(import({account_line(1)}, {"--keep-going"}).status, 0)
      << "when there is nothing to leave out";
}

TEST_F(Import, OperationsD5ListsAHundredRefusalsAndCountsTheRest) {
  const Ran ran = import(Lines(120, "nonsense"));
  EXPECT_NE(ran.err.find(path() + ":100: "), std::string::npos);
  EXPECT_EQ(ran.err.find(path() + ":101: "), std::string::npos);
  EXPECT_NE(ran.err.find("… and 20 more\nnothing was written: 120 lines refused"),
            std::string::npos)
      << ran.err;
}

TEST_F(Import, OperationsD5PrintsEveryCredentialThatItKeeps) {
  const Lines lines{account_line(1), with_hash(kHash), application_line("deleted", 1, "secret"),
                    application_line("changed", 1, "secret"),
                    application_line("same", 1, "secret")};
  ASSERT_EQ(import(lines).status, 0);
  ASSERT_EQ(import({with_hash(kOtherHash), application_line("changed", 1, "other")},
                   {"--reset-credentials"})
                .status,
            0);
  stores::ClientRegistry registry(store_.redis);
  ASSERT_TRUE(store_.run(registry.remove({"deleted"}, 1)));
  audit_.said.clear();
  const Ran ran = import(lines);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, path() + ":2: kept: password of user 1\n" + path() +
                         ":3: kept: deletion of application deleted\n" + path() +
                         ":4: kept: secrets of application changed\n"
                         "kept: 1 password, 1 application with other secrets, 1 deleted "
                         "application; --reset-credentials overwrites them\n");
  EXPECT_EQ(ran.out,
            "account: 0 added, 0 changed, 1 unchanged\nuser: 0 added, 0 changed, 1 unchanged\n"
            "application: 0 added, 0 changed, 2 unchanged, 1 kept deleted\n");
  EXPECT_TRUE(audit_.said.empty());
  const Ran reset = import(lines, {"--reset-credentials"});
  EXPECT_EQ(reset.err, "");
  EXPECT_NE(reset.out.find("application: 1 added, 1 changed, 1 unchanged\n"), std::string::npos);
  for (const std::string& event : audit_.said)
    EXPECT_NE(event.find(path()), std::string::npos) << event;
  EXPECT_EQ(audit_.said.size(), 4u) << "a password, two applications, and the import";
}

TEST_F(Import, OperationsD8NamesTheLineAndTheFieldOfARecordThatIsTooLarge) {
  const std::string before = server_.digest();
  const auto with = [](std::string line, const std::string& more) {
    return line.insert(line.size() - 1, "," + more);
  };
  const auto described = [&](const std::string& line, std::size_t bytes) {
    return with(line, R"("description":")" + std::string(bytes, 'd') + "\"");
  };
  std::vector<std::string> ids;
  for (int i = 0; i < 5000; ++i) ids.push_back(std::to_string(100'000 + i) + std::string(58, 'a'));
  std::string memberships = R"({"kind":"user","id":1,"name":"Somebody","email":"a@b.example",)"
                            R"("memberships":[{"account_id":1,"role":"owner"})";
  for (int i = 2; i < 2500; ++i)
    memberships += R"(,{"account_id":)" + std::to_string(i) + R"(,"role":"manager"})";
  std::string account = account_line(1);
  account.replace(account.find("Account 1"), 9, std::string(2048, '<'));
  account.replace(account.rfind("localhost"), 9, "localhost/?" + std::string(1900, '&'));
  struct Case {
    std::string line;
    std::string_view field;
    std::size_t limit;
  };
  for (const Case& c :
       std::vector<Case>{{described(media_line("a", 1), 40'000), "description", 32 * 1024},
                         {described(project_line("p", 1), 20'000), "description", 16 * 1024},
                         {playlist_line("l", 1, ids), "media_ids", 256 * 1024},
                         {memberships + "]}", "memberships", 64 * 1024},
                         {account, "name", 16 * 1024}}) {
    const Problems problems = check({account_line(2), c.line}, ids.size());
    ASSERT_EQ(problems.size(), 1u) << c.line.substr(0, 60);
    EXPECT_TRUE(problems[0].starts_with("2: " + std::string(c.field) +
                                        " must be shorter: with it, the record has "))
        << problems[0];
    EXPECT_TRUE(problems[0].ends_with(" of at most " + std::to_string(c.limit))) << problems[0];
  }
  const Ran ran = import({account_line(1), described(media_line("a", 1), 40'000)});
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.err.starts_with(path() + ":2: description must be shorter")) << ran.err;
  EXPECT_EQ(server_.digest(), before) << "nothing is written";
}

// An earlier version stored it.
TEST_F(Import, OperationsD8ARecordAboveItsLimitIsImportedUnlessItGrows) {
  ASSERT_TRUE(write({account_line(1), media_line("a", 1)}));
  std::string record = server_.text({"GET", "catalog:media:a"});
  const std::string_view empty = R"("description":"")";
  const auto described = [&](std::size_t bytes) {
    std::string line = media_line("a", 1);
    return line.insert(line.size() - 1, R"(,"description":")" + std::string(bytes, 'd') + "\"");
  };
  record.replace(record.find(empty), empty.size(),
                 R"("description":")" + std::string(50'000, 'd') + "\"");
  server_.command({"SET", "catalog:media:a", record});
  const Ran longer = import({described(50'001)});
  EXPECT_EQ(longer.status, 1);
  EXPECT_TRUE(longer.err.starts_with(path() + ":1: description must be shorter")) << longer.err;
  EXPECT_EQ(import({described(50'000)}).out, "media: 0 added, 0 changed, 1 unchanged\n");
  EXPECT_EQ(import({described(49'999)}).out, "media: 0 added, 1 changed, 0 unchanged\n");
  EXPECT_EQ(import({described(8)}).status, 0);
  EXPECT_EQ(import({described(40'000)}).status, 1);
}

TEST_F(Import, OauthK7IsAudited) {
  const Lines lines{account_line(1), user_line(7, "a@b.example", 1), media_line("a", 1),
                    application_line("app", 1, "PLANTED")};
  ASSERT_EQ(import(lines).status, 0);
  ASSERT_EQ(audit_.said.size(), 1u);
  EXPECT_TRUE(audit_.said[0].starts_with("import  by ")) << audit_.said[0];
  EXPECT_TRUE(audit_.said[0].ends_with(
      " with svcctl, import of " + path() +
      ", account: 1 added, 0 changed, user: 1 added, 0 changed, application: 1 added, 0 changed, "
      "media: 1 added, 0 changed"))
      << audit_.said[0];
  ASSERT_EQ(import(lines).status, 0);
  EXPECT_EQ(import({"nonsense"}).status, 1);
  EXPECT_EQ(audit_.said.size(), 1u) << "what changed nothing is no event";
}

TEST_F(Import, TheDemonstrationImportedAgainChangesNothing) {
  const std::string demonstration = SVC_SOURCE_DIR "/scripts/demo/catalog.jsonl";
  const Ran first = run({demonstration});
  EXPECT_EQ(first.status, 0) << first.err;
  const auto dump = server_.dump();
  EXPECT_GT(dump.size(), 20u);
  EXPECT_EQ(dangling(dump), Lines{});
  const std::string digest = server_.digest();
  const Ran second = run({demonstration});
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(second.out.find(" 0 unchanged"), std::string::npos) << second.out;
  EXPECT_EQ(server_.digest(), digest);
  for (const auto& [key, value] : dump) {
    EXPECT_EQ(value.find("-demo-password"), std::string::npos) << key;
    EXPECT_EQ(value.find("demo-secret"), std::string::npos) << key;
  }
}

TEST_F(Import, RefusesApplicationsWithoutAKeyFile) {
  keys_.reset();
  const Ran ran = import({account_line(1), application_line("app", 1, "s")});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find(path() + ":2: client_secret cannot be stored"), std::string::npos)
      << ran.err;
  EXPECT_TRUE(server_.dump().empty());
}

TEST_F(Import, ReadsStandardInput) {
  const std::string lines = joined({account_line(1), "", "nonsense", media_line("a", 1)});
  const base::UniqueFd content(
      open(directory_.write("lines", lines).c_str(), O_RDONLY | O_CLOEXEC));
  const base::UniqueFd before(dup(STDIN_FILENO));
  ASSERT_EQ(dup2(content.get(), STDIN_FILENO), STDIN_FILENO);
  const Ran ran = run({"-", "--keep-going"});
  ASSERT_EQ(dup2(before.get(), STDIN_FILENO), STDIN_FILENO);
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("-:3: not JSON"), std::string::npos) << ran.err;
  EXPECT_EQ(server_.dump().size(), 2u);
}

// It ignored signals while it read an empty pipe.
TEST_F(Import, CanBeInterruptedWhileItReadsStandardInput) {
  for (const int number : {SIGINT, SIGTERM}) {
    SCOPED_TRACE(number);
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const base::UniqueFd reading(ends[0]);
    base::UniqueFd writing(ends[1]);
    const std::string line = account_line(1) + "\n";
    ASSERT_EQ(::write(writing.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
    const base::UniqueFd before(dup(STDIN_FILENO));
    ASSERT_EQ(dup2(reading.get(), STDIN_FILENO), STDIN_FILENO);
    signal(number, SIG_DFL);
    std::promise<void> ended;
    std::jthread interrupting([&, importing = pthread_self()] {
      // After it has set its handler. The pipe is closed at the end, so that a failing import ends,
      // too.
      for (struct sigaction now{}; now.sa_handler == SIG_DFL;) sigaction(number, nullptr, &now);
      pthread_kill(importing, number);
      ended.get_future().wait_for(std::chrono::minutes(5));
      writing = base::UniqueFd();
    });
    const Ran ran = run({"-"});
    ended.set_value();
    interrupting.join();
    ASSERT_EQ(dup2(before.get(), STDIN_FILENO), STDIN_FILENO);
    EXPECT_EQ(ran.status, 130);
    EXPECT_EQ(ran.err, "interrupted before anything was written\n");
    EXPECT_TRUE(server_.dump().empty());
  }
}

TEST_F(Import, RefusesAFifoInsteadOfWaitingForItsOtherEnd) {
  const std::string fifo = directory_.path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const Ran ran = run({fifo});
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("is not a regular file; for a pipe use -"), std::string::npos) << ran.err;
}

TEST_F(Import, RefusesInvalidArgumentsWithTheReason) {
  struct Case {
    std::string name;
    std::vector<std::string> arguments;
    std::string said;
  };
  for (const Case& c : {
           Case{"no file", {}, "the file is missing"},
           Case{"only a flag", {"--keep-going"}, "the file is missing"},
           Case{"an unknown flag", {"--force", "x"}, "unknown option: --force"},
           Case{"a setting",
                {"--config", "x", "y"},
                "unknown option: --config; settings, --config among them, come before the command"},
           Case{"two files", {"x", "y"}, "unexpected argument: y"},
           Case{"a file that is not there",
                {directory_.path("nothing")},
                "cannot open " + directory_.path("nothing")},
           Case{"a directory", {directory_.path(".")}, "is not a regular file"},
           Case{"a device", {"/dev/null"}, "is not a regular file; for a pipe use -"},
       }) {
    SCOPED_TRACE(c.name);
    const Ran ran = run(c.arguments);
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.err.find(c.said), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST_F(Import, ReportsThatTheStoreIsUnavailable) {
  server_.stop();
  const Ran ran = import({account_line(1), media_line("a", 2)});
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(ran.err.find("the store is unavailable"), std::string::npos) << ran.err;
  // The first reads a reference from the store; the second needs the store only when it writes.
  const Ran alone = import({account_line(1)});
  EXPECT_EQ(alone.status, 3);
  for (const Ran& each : {ran, alone}) {
    EXPECT_TRUE(each.err.ends_with(
        "\nnothing was written; run the import again when the store is available\n"))
        << each.err;
  }
}

TEST_F(Import, AcceptsAnEmptyFile) {
  const Ran ran = import({});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "0 records\n");
  EXPECT_EQ(ran.err, "");
}

}  // namespace
}  // namespace svc::integration

// A connection to the Listener: the input arrives in pieces, every request gets
// a response. The first byte is the size of the pieces.
#include <sys/socket.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/unique_fd.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"
#include "fakes/wire.h"
#include "fastcgi/listener.h"
#include "fastcgi/listening_socket.h"
#include "fastcgi/record.h"
#include "fuzz/target.h"
#include "loop/loop.h"

namespace svc::fuzz {
namespace {

using namespace svc::fastcgi;

const std::string kHead = "Status: 200 OK\r\n\r\n";
const std::string kBody = "hello";

class Willing : public AcceptPolicy {
 public:
  bool may_accept(std::size_t) override { return true; }
};

// The pool's side, made once: the loop, the socket, and the listener.
struct Side {
  Side() {
    settings.limits = {2000, 1000};
    listener.emplace(socket.fd(), settings, policy, loop);
  }
  // Answers the requests that are ready, and returns their number.
  int answer() {
    loop.turn(base::Duration::zero());
    int answered = 0;
    for (const Ready& ready : listener->take_ready()) {
      const Inspection inspection = inspect(ready.request, settings.limits);
      require(inspection.verdict == Verdict::Pass && inspection.size == ready.request.size() &&
                  inspection.request_id == ready.id && !inspection.padded,
              "only one whole request without padding is ready");
      ++answered;
      listener->answer(ready.fd, ready.id, {kHead, kBody},
                       ready.keeps && ready.alone ? Listener::Then::Keep : Listener::Then::Close);
    }
    static_cast<void>(listener->take_refused());
    return answered;
  }

  fakes::TemporaryDirectory directory;
  std::string path = directory.path("s");
  ListeningSocket socket = *ListeningSocket::open(path, 0600, 64);
  ListenerSettings settings;
  Willing policy;
  fakes::ManualClock clock;
  loop::Loop loop{clock};
  std::optional<Listener> listener;
};

void run(std::string_view input) {
  static Side side;
  if (input.empty()) return;
  const std::size_t piece = static_cast<unsigned char>(input.front()) * 8 + 1;
  input.remove_prefix(1);
  const base::UniqueFd client = fakes::connect_to(side.path);
  int requests = 0;
  std::string received;
  const auto turn = [&] {
    side.listener->prepare_wait();
    requests += side.answer();
    char buffer[4096];
    ssize_t got = 0;
    while ((got = recv(client.get(), buffer, sizeof buffer, MSG_DONTWAIT)) > 0)
      received.append(buffer, static_cast<std::size_t>(got));
  };
  while (side.listener->connections() == 0) turn();
  for (; !input.empty() && side.listener->connections() > 0;
       input.remove_prefix(std::min(piece, input.size()))) {
    if (send(client.get(), input.data(), std::min(piece, input.size()), MSG_NOSIGNAL) < 0) break;
    turn();
  }
  shutdown(client.get(), SHUT_WR);
  for (int i = 0; i < 4 && side.listener->connections() > 0; ++i) turn();
  turn();
  require(side.listener->connections() == 0, "a connection ends with its peer");

  // The sent bytes are whole records, with one response per request. An end record alone is not a
  // response: an aborted request has one too. The listener itself answers requests that it refuses.
  int responses = 0;
  int ends = 0;
  std::string_view rest = received;
  Record record;
  while (read_record(rest, record) == RecordState::Whole) {
    require(record.type == RecordType::Stdout || record.type == RecordType::EndRequest ||
                ((record.type == RecordType::GetValuesResult ||
                  record.type == RecordType::UnknownType) &&
                 record.id == 0),
            "only replies of the specification are sent");
    responses += record.type == RecordType::Stdout && record.content == kHead + kBody ? 1 : 0;
    ends += record.type == RecordType::EndRequest ? 1 : 0;
    rest.remove_prefix(record.size);
    record = {};
  }
  require(rest.empty(), "only whole records are sent");
  require(responses == requests, "every request gets its response");
  require(ends >= requests, "every request gets its end");
}

const Registered registered("listener", run);

}  // namespace
}  // namespace svc::fuzz

#include "courier/fetcher.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/inet_address.h"
#include "base/public_address.h"
#include "base/unique_fd.h"
#include "courier/answer.h"
#include "courier/freshness.h"
#include "text/ascii.h"
#include "text/uri.h"

namespace svc::courier {
namespace {

constexpr std::uint16_t kHttpsPort = 443;
constexpr std::size_t kMostAddresses = 4;  // that are tried
// Per address, unless it is the last: a host with an address that does not answer has others.
constexpr base::Duration kTimePerAddress = std::chrono::milliseconds(1500);
constexpr std::size_t kMostLookUps = 16;
constexpr std::size_t kReadSize = 16 * 1024;  // bytes

const std::string kTooSlow =
    "the server did not send the document within " +
    std::to_string(std::chrono::duration_cast<std::chrono::seconds>(Fetcher::kTime).count()) + " s";

base::Refusal<std::string> no_document(std::string why) { return {std::move(why)}; }

bool is_local(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

// RFC 8259, and RFC 6839 §3.1.
bool is_json(std::string_view content_type) {
  const std::string type =
      text::to_lower(text::trimmed(content_type.substr(0, content_type.find(';'))));
  return type == "application/json" ||
         (type.starts_with("application/") && type.ends_with("+json"));
}

base::Result<Document, std::string> document_of(Answer answer) {
  if (answer.status >= 300 && answer.status < 400)
    return no_document("the server answered with a redirect, which is not followed");
  if (answer.status != 200)
    return no_document("the server answered with status " + std::to_string(answer.status));
  if (!is_json(answer.content_type))
    return no_document("the type of the document is not application/json");
  return Document{std::move(answer.body), fresh_seconds(answer.cache_control, answer.age)};
}

}  // namespace

struct Fetcher::Target {
  std::string host;       // for the certificate, without brackets
  std::string authority;  // for the field Host
  std::string resource;   // path and query
  std::uint16_t port = kHttpsPort;
  bool may_be_local = false;
};

// One connection to one address.
class Fetcher::Exchange : private loop::Watcher {
 public:
  Exchange(const Target& target, std::size_t most, loop::Loop& loop)
      : target_(target), loop_(loop), ready_(loop), reader_(most) {}
  ~Exchange() override { loop_.forget(fd_.get()); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Returns "" if it has connected, otherwise the reason.
  loop::Task<std::string> connect(base::InetAddress address, base::TimePoint until) {
    fd_.reset(socket(address.get()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd_) co_return std::string("no socket: ") + std::strerror(errno);
    int error = ::connect(fd_.get(), address.get(), address.size()) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      const bool is_in_time = co_await wait(EPOLLOUT, until);
      if (!is_in_time) co_return kTooSlow;
      socklen_t size = sizeof error;
      if (getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    }
    if (error != 0) co_return std::string("the server cannot be reached: ") + std::strerror(error);
    co_return is_allowed_peer() ? "" : "the server has an address that is not public";
  }

  // Sends the request, and returns the response. Throws std::runtime_error if memory is exhausted.
  loop::Task<base::Result<Answer, std::string>> ask(const base::TlsClient& client,
                                                    base::TimePoint until) {
    base::TlsSession tls(client, target_.host);
    std::string out;
    using State = base::TlsSession::State;
    while (tls.state() == State::Handshake) {
      tls.shake_hands();
      tls.take_output(out);
      const std::string unsent = co_await send_all(out, until);
      if (tls.state() == State::Failed) co_return no_document(tls.error());
      if (!unsent.empty()) co_return no_document(unsent);
      if (tls.state() == State::Open) break;
      const std::string unread = co_await receive(tls, until);
      if (!unread.empty()) co_return no_document(unread);
    }
    tls.write("GET " + target_.resource + " HTTP/1.1\r\nHost: " + target_.authority +
              "\r\nAccept: application/json\r\nAccept-Encoding: identity\r\n"
              "User-Agent: svc-courier\r\nConnection: close\r\n\r\n");
    tls.take_output(out);
    const std::string unsent = co_await send_all(out, until);
    if (!unsent.empty()) co_return no_document(unsent);
    std::array<char, kReadSize> buffer{};
    while (true) {
      const std::size_t count = tls.read(buffer);
      if (count > 0) {
        AnswerReader::Read read = reader_.add({buffer.data(), count});
        if (!read) co_return no_document("the response is refused: " + read.error());
        if (*read) co_return std::move(**read);
        continue;
      }
      if (tls.state() == State::Failed) co_return no_document(tls.error());
      std::string unread;
      if (tls.state() == State::Open) {
        unread = co_await receive(tls, until);
      }
      if (tls.state() == State::Closed || is_closed_) {
        AnswerReader::Read read = reader_.end(tls.state() == State::Closed);
        if (!read) co_return no_document("the response is refused: " + read.error());
        co_return std::move(**read);
      }
      if (!unread.empty()) co_return no_document(unread);
    }
  }

 private:
  void ready(std::uint32_t) override { ready_.happen(); }

  // The address was checked before; this is about the socket as it is.
  bool is_allowed_peer() const {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    auto* const address = reinterpret_cast<sockaddr*>(&peer);
    if (getpeername(fd_.get(), address, &size) != 0) return false;
    return base::is_public_address(address) ||
           (target_.may_be_local && base::is_loopback_address(address));
  }

  // Returns false if it is too late.
  loop::Task<bool> wait(std::uint32_t events, base::TimePoint until) {
    if (loop_.clock().now() >= until) co_return false;
    loop_.watch(fd_.get(), events, *this);
    loop::Event::Next next(ready_, until);
    co_await next;
    loop_.forget(fd_.get());  // a ready descriptor would end each wait of the loop
    co_return loop_.clock().now() < until;
  }

  // Returns why not all was sent.
  loop::Task<std::string> send_all(std::string& out, base::TimePoint until) {
    std::size_t sent = 0;
    while (sent < out.size()) {
      const ssize_t count = send(fd_.get(), out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
      if (count >= 0) {
        sent += static_cast<std::size_t>(count);
      } else if (errno == EAGAIN) {
        const bool is_in_time = co_await wait(EPOLLOUT, until);
        if (!is_in_time) co_return kTooSlow;
      } else if (errno != EINTR) {
        co_return std::string("the server ended the connection");
      }
    }
    out.clear();
    co_return std::string();
  }

  // Waits for bytes and passes them to the session, once: a server that sends continuously would
  // block the loop. Returns the reason on failure; the end of the connection sets is_closed_ too.
  loop::Task<std::string> receive(base::TlsSession& tls, base::TimePoint until) {
    const bool is_in_time = co_await wait(EPOLLIN, until);
    if (!is_in_time) co_return kTooSlow;
    std::array<char, kReadSize> buffer{};
    const ssize_t count = recv(fd_.get(), buffer.data(), buffer.size(), 0);
    if (count > 0) {
      tls.receive({buffer.data(), static_cast<std::size_t>(count)});
      co_return std::string();
    }
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) co_return std::string();
    is_closed_ = true;
    co_return std::string("the server ended the connection");
  }

  const Target& target_;
  loop::Loop& loop_;
  loop::Event ready_;
  base::UniqueFd fd_;
  AnswerReader reader_;
  bool is_closed_ = false;  // by the peer
};

Fetcher::Fetcher(const base::TlsClient& tls, std::size_t most, bool allow_loopback,
                 loop::Loop& loop, LookUp look_up)
    : tls_(tls),
      most_(most),
      allow_loopback_(allow_loopback),
      loop_(loop),
      look_up_(std::move(look_up)),
      threads_(loop) {}

// A thread that hangs in the resolver keeps its place, but not its caller.
loop::Task<Fetcher::Literals> Fetcher::resolve(std::string host, base::TimePoint until) {
  if (base::InetAddress::of(host, 0)) co_return std::vector<std::string>{host};
  if (looking_up_ >= kMostLookUps) co_return base::Refusal{std::string("the resolver is busy")};
  struct State {
    explicit State(loop::Loop& loop) : known(loop) {}
    std::optional<Literals> found;
    loop::Event known;
  };
  const auto state = std::make_shared<State>(loop_);
  try {
    threads_.start([state, host, look_up = look_up_] { state->found.emplace(look_up(host)); },
                   [state, this](const std::exception_ptr&) {
                     --looking_up_;
                     state->known.happen();
                   });
  } catch (const std::system_error&) {
    co_return base::Refusal{std::string("no thread could be started")};
  }
  ++looking_up_;
  loop::Event::Next next(state->known, until);
  co_await next;
  if (loop_.clock().now() >= until) co_return base::Refusal{kTooSlow};
  if (!state->found) co_return base::Refusal{std::string("the resolver failed")};
  co_return *state->found;
}

loop::Task<base::Result<Document, std::string>> Fetcher::fetch(std::string url) {
  const base::TimePoint until = loop_.clock().now() + kTime;
  const auto parts = text::split_uri(url);
  if (!parts || parts->scheme != "https") co_return no_document("the address is not https");
  Target target;
  target.authority = parts->authority;
  target.may_be_local = allow_loopback_ && is_local(parts->host);
  target.host = parts->host;
  if (target.host.starts_with('[')) target.host = target.host.substr(1, target.host.size() - 2);
  target.resource = parts->path;
  if (parts->query) target.resource += "?" + std::string(*parts->query);
  if (target.may_be_local) target.port = text::parse_port(parts->port).value_or(kHttpsPort);
  const Literals literals = co_await resolve(target.host, until);
  if (!literals) co_return no_document(literals.error());
  std::vector<base::InetAddress> addresses;
  for (const std::string& literal : *literals) {
    const auto address = base::InetAddress::of(literal, target.port);
    const bool is_allowed =
        address && (base::is_public_address(address->get()) ||
                    (target.may_be_local && base::is_loopback_address(address->get())));
    // One private address is enough to refuse: the name may lead into a private network.
    if (!is_allowed) co_return no_document("the server has an address that is not public");
    if (addresses.size() < kMostAddresses) addresses.push_back(*address);
  }
  std::string why = "the server has no address";
  for (const base::InetAddress& address : addresses) {
    const bool is_last = &address == &addresses.back();
    Exchange exchange(target, most_, loop_);
    const base::TimePoint end =
        is_last ? until : std::min(until, loop_.clock().now() + kTimePerAddress);
    why = co_await exchange.connect(address, end);
    if (!why.empty()) continue;
    try {
      base::Result<Answer, std::string> answer = co_await exchange.ask(tls_, until);
      if (!answer) co_return no_document(answer.error());
      co_return document_of(std::move(*answer));
    } catch (const std::runtime_error& error) {
      co_return no_document(error.what());
    }
  }
  co_return no_document(why);
}

}  // namespace svc::courier

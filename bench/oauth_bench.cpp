// Cost of a grant and of a bearer check without their round trips to Redis, function by function.
#include <benchmark/benchmark.h>

#include <string>

#include "base/digest.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "oauth/bearer.h"
#include "oauth/pkce.h"
#include "oauth/scope_set.h"
#include "oauth/token.h"
#include "oauth/token_request.h"

namespace {

using namespace svc;

base::KeyRing keys() { return *base::KeyRing::parse("k1:" + std::string(64, '7') + "\n"); }

std::string access_token() { return "svca_" + std::string(32, 'a') + std::string(64, 'b'); }

void BM_ParsesAToken(benchmark::State& state) {
  const std::string text = access_token();
  for (auto _ : state) {
    benchmark::DoNotOptimize(oauth::Token::parse(oauth::TokenKind::Access, text));
  }
}
BENCHMARK(BM_ParsesAToken);

void BM_MintsAToken(benchmark::State& state) {
  base::SystemEntropy entropy;
  const oauth::GrantId grant{std::string(32, 'a')};
  for (auto _ : state) {
    benchmark::DoNotOptimize(oauth::Token::mint(oauth::TokenKind::Access, grant, entropy));
  }
}
BENCHMARK(BM_MintsAToken);

void BM_MakesTheHmacOfAToken(benchmark::State& state) {
  const base::KeyRing ring = keys();
  const std::string text = access_token();
  for (auto _ : state) benchmark::DoNotOptimize(ring.mac("access token", text));
}
BENCHMARK(BM_MakesTheHmacOfAToken);

void BM_SealsASecret(benchmark::State& state) {
  const base::KeyRing ring = keys();
  base::SystemEntropy entropy;
  const std::string secret(48, 's');
  for (auto _ : state) benchmark::DoNotOptimize(ring.seal(secret, "client secret:demo", entropy));
}
BENCHMARK(BM_SealsASecret);

void BM_OpensASecret(benchmark::State& state) {
  const base::KeyRing ring = keys();
  base::SystemEntropy entropy;
  const std::string sealed = ring.seal(std::string(48, 's'), "client secret:demo", entropy);
  for (auto _ : state) benchmark::DoNotOptimize(ring.open(sealed, "client secret:demo"));
}
BENCHMARK(BM_OpensASecret);

void BM_DigestsAToken(benchmark::State& state) {
  const std::string text = access_token();
  for (auto _ : state) benchmark::DoNotOptimize(base::sha256(text));
}
BENCHMARK(BM_DigestsAToken);

void BM_ProvesPkce(benchmark::State& state) {
  // RFC 7636 appendix B.
  for (auto _ : state) {
    benchmark::DoNotOptimize(oauth::pkce::proves("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                                                 "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
  }
}
BENCHMARK(BM_ProvesPkce);

void BM_FindsTheBearerToken(benchmark::State& state) {
  const std::string header = "Bearer " + access_token();
  for (auto _ : state) benchmark::DoNotOptimize(oauth::bearer_token("", header));
}
BENCHMARK(BM_FindsTheBearerToken);

void BM_ParsesATokenRequest(benchmark::State& state) {
  const std::string body =
      "grant_type=refresh_token&client_id=demo-client-0001&client_secret=demo-secret-0001&"
      "refresh_token=svcr_" +
      std::string(32, 'a') + std::string(64, 'b');
  for (auto _ : state) benchmark::DoNotOptimize(oauth::TokenRequest::parse("", body, ""));
}
BENCHMARK(BM_ParsesATokenRequest);

void BM_ParsesScopes(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(oauth::ScopeSet::parse("media:read stats:read media:upload"));
  }
}
BENCHMARK(BM_ParsesScopes);

}  // namespace

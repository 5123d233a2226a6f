// A page of somebody else's that is open in the same browser gets nothing.
#include "serve/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "serve/listen.h"

namespace dissensus::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const GuardRules kRules{"0123456789abcdef", {"127.0.0.1:8080", "localhost:8080"}};

Request good(const std::string& path = "/0123456789abcdef/api/") {
  Request request;
  request.method = "GET";
  request.target = path;
  request.host = "127.0.0.1:8080";
  return request;
}

unsigned status_of(const Request& request) {
  Target target;
  const auto refusal = refuse(request, kRules, target);
  return refusal ? refusal->status : 200;
}

TEST(Guard, LetsTheOwnPageIn) {
  EXPECT_EQ(status_of(good()), 200u);
  Request request = good();
  request.origin = "http://127.0.0.1:8080";
  EXPECT_EQ(status_of(request), 200u);
  request.host = "localhost:8080";
  request.origin = "http://localhost:8080";
  EXPECT_EQ(status_of(request), 200u);
}

TEST(Guard, RefusesWithoutTheToken) {
  for (const char* path : {"/", "/api/", "/0123456789abcde/api/", "/0123456789abcdeff/api/",
                           "/0123456789ABCDEF/api/", "//0123456789abcdef/api/", "/?token=1"}) {
    EXPECT_EQ(status_of(good(path)), 403u) << path;
  }
}

// DNS rebinding: the name of another site may lead here, but the browser still says that name.
TEST(Guard, RefusesOtherHostsAndOrigins) {
  for (const char* host : {"", "evil.example", "127.0.0.1", "127.0.0.1:8081", "127.0.0.1:8080.evil",
                           "evil@127.0.0.1:8080"}) {
    Request request = good();
    request.host = host;
    EXPECT_EQ(status_of(request), 403u) << host;
  }
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:8080",
                             "http://127.0.0.1:8081", "http://127.0.0.1:8080.evil"}) {
    Request request = good();
    request.origin = origin;
    EXPECT_EQ(status_of(request), 403u) << origin;
  }
}

// What a form of another page can send without asking is not JSON.
TEST(Guard, RefusesWhatFormsCanSend) {
  Request request = good();
  request.method = "POST";
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded"}) {
    request.content_type = type;
    EXPECT_EQ(status_of(request), 415u) << type;
  }
  request.content_type = "application/json";
  EXPECT_EQ(status_of(request), 200u);
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "get"}) {
    request.method = method;
    EXPECT_EQ(status_of(request), 405u) << method;
  }
}

TEST(Guard, RefusesPathsThatLeadElsewhere) {
  for (const char* path :
       {"/0123456789abcdef/../etc/passwd", "/0123456789abcdef/%2e%2e/etc", "/0123456789abcdef/..",
        "/0123456789abcdef/a%2f..%2fb", "/0123456789abcdef/a%5cb", "/0123456789abcdef/%00",
        "/0123456789abcdef/%zz", "/0123456789abcdef/%2", "/0123456789abcdef/api?q=%0d%0aX",
        "http://127.0.0.1:8080/0123456789abcdef/", "*", ""}) {
    EXPECT_EQ(status_of(good(path)), 400u) << path;
  }
}

TEST(Target, IsTakenApart) {
  const auto target = parse_target("/t/api/runs/7?q=a+b%20%22c%22&empty=&x");
  ASSERT_TRUE(target);
  EXPECT_THAT(target->parts, ElementsAre("t", "api", "runs", "7"));
  EXPECT_EQ(target->query.at("q"), "a b \"c\"");
  EXPECT_EQ(target->query.at("empty"), "");
  EXPECT_EQ(target->query.at("x"), "");
}

TEST(Token, IsLongAndNewEachTime) {
  const std::string first = new_token();
  EXPECT_EQ(first.size(), 32u);
  EXPECT_NE(first, new_token());
}

TEST(Listen, SaysWhereAndUnderWhichNames) {
  const ListenAddress plain = parse_listen("127.0.0.1");
  EXPECT_EQ(plain.port, 0);
  EXPECT_TRUE(plain.is_loopback);
  EXPECT_THAT(hosts_of(plain, 99), ElementsAre("127.0.0.1:99", "localhost:99"));
  const ListenAddress six = parse_listen("[::1]:8080");
  EXPECT_EQ(six.address, "::1");
  EXPECT_EQ(six.port, 8080);
  EXPECT_THAT(hosts_of(six, 8080), ElementsAre("[::1]:8080", "localhost:8080"));
  const ListenAddress other = parse_listen("192.0.2.7:80");
  EXPECT_FALSE(other.is_loopback);
  EXPECT_THAT(hosts_of(other, 80), ElementsAre("192.0.2.7:80"));
  for (const char* text : {"", "localhost", "0.0.0.0", "[::]:80", "127.0.0.1:", "127.0.0.1:70000",
                           "[::1", "[::1]80", "127.0.0.1:8x"}) {
    EXPECT_THROW(parse_listen(text), InputError) << text;
  }
}

}  // namespace
}  // namespace dissensus::serve

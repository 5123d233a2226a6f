// Small histories of transactions, good and bad: of stores that promise little or much, with
// unanswered and failed transactions, and half of them damaged afterwards.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "dissensus/history.h"
#include "dissensus/random.h"

namespace dissensus::history {

class TransactionGenerator {
 public:
  TransactionGenerator(std::uint64_t seed, bool is_list)
      : random_(seed, "transactions"), is_list_(is_list) {}

  History make() {
    keys_ = random_.between(1, 3);
    micros_max_ = random_.between(1, 4);
    constexpr std::array kStores{
        StoreKind::serial,         StoreKind::snapshots,      StoreKind::snapshots,
        StoreKind::late_snapshots, StoreKind::late_snapshots, StoreKind::late_keys,
        StoreKind::late_keys,      StoreKind::dirty,          StoreKind::any};
    store_ = kStores[random_.below(kStores.size())];
    const double damaged = random_.chance(0.75) ? 0 : 0.4;
    const std::size_t count = 3 + random_.below(4);
    // Transactions that only read, at the end, tell what became of the others.
    readers_from_ = count - (random_.chance(0.5) ? 1 + random_.below(2) : 0);
    const bool is_crowded = random_.chance(0.5);
    std::vector<Client> clients(1 + random_.below(count));
    for (std::size_t i = 0; i < clients.size(); ++i) {
      clients[i].process = static_cast<std::int64_t>(i);
    }
    History history("random");
    std::size_t asked = 0;
    while (!clients.empty()) {
      std::size_t number = random_.below(clients.size());
      if (is_crowded && asked < readers_from_) {
        const auto idle = std::ranges::find(clients, false, &Client::is_busy);
        if (idle != clients.end()) number = static_cast<std::size_t>(idle - clients.begin());
      }
      Client& client = clients[number];
      if (!client.is_busy) {
        if (asked == count) {
          clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(number));
          continue;
        }
        ask(client, asked >= readers_from_);
        ++asked;
        history.invoke(client.process, "txn", value_of(history, client, false));
      } else if (client.next < client.micros.size()) {
        act(client);
      } else {
        client.is_busy = false;
        if (random_.chance(damaged)) damage(client);
        // Some answers never come at all; their process asks nothing more.
        if (client.outcome == EventKind::info && random_.chance(0.2)) {
          clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(number));
          continue;
        }
        const bool is_ok = client.outcome == EventKind::ok;
        history.complete(client.outcome, client.process, "txn", value_of(history, client, is_ok));
      }
    }
    return history;
  }

 private:
  enum class StoreKind { serial, snapshots, late_snapshots, late_keys, dirty, any };
  using Content = std::vector<std::int64_t>;
  using Store = std::map<std::int64_t, Content>;
  struct Micro {
    bool is_read = false;
    std::int64_t key = 0;
    Content content;
  };
  struct Client {
    std::int64_t process = 0;
    bool is_busy = false;
    bool happens = true;
    EventKind outcome = EventKind::ok;
    std::vector<Micro> micros;
    std::size_t next = 0;
    Store view;
  };

  void ask(Client& client, bool is_reader) {
    client.is_busy = true;
    client.next = 0;
    client.micros.clear();
    const double draw = random_.unit();
    client.outcome = draw < 0.15 ? EventKind::info : draw < 0.22 ? EventKind::fail : EventKind::ok;
    const double likely = client.outcome == EventKind::ok     ? 1
                          : client.outcome == EventKind::info ? 0.6
                                                              : 0.1;
    client.happens = random_.chance(likely);
    const auto count = is_reader ? keys_ : random_.between(1, micros_max_);
    for (std::int64_t i = 0; i < count; ++i) {
      const bool is_read = is_reader || random_.chance(0.5);
      const auto key = is_reader ? i % keys_ + 1 : random_.between(1, keys_);
      client.micros.push_back({is_read, key, {}});
      if (is_read) continue;
      client.micros.back().content = {++value_};
      written_[key].push_back(value_);
    }
    client.view = now_;
    if (random_.chance(0.2)) return;
    if (store_ == StoreKind::late_snapshots) client.view = past_[random_.below(past_.size())];
    if (store_ != StoreKind::late_keys) return;
    for (std::int64_t key = 1; key <= keys_; ++key) {
      client.view[key] = past_[random_.below(past_.size())][key];
    }
  }

  /// A store without isolation does one thing at a time.
  void act(Client& client) {
    do {
      Micro& micro = client.micros[client.next++];
      const bool is_shared = store_ == StoreKind::serial || store_ == StoreKind::dirty;
      Store& view = is_shared ? now_ : client.view;
      if (!micro.is_read) {
        if (client.happens || !is_shared) write(view, micro);
      } else if (store_ == StoreKind::any) {
        micro.content = anything(client, micro.key);
      } else {
        micro.content = view[micro.key];
      }
    } while (store_ != StoreKind::dirty && client.next < client.micros.size());
    if (client.next < client.micros.size() || !client.happens) return;
    if (store_ != StoreKind::serial && store_ != StoreKind::dirty) {
      for (const Micro& micro : client.micros) {
        if (!micro.is_read) write(now_, micro);
      }
    }
    past_.push_back(now_);
  }

  void write(Store& store, const Micro& micro) const {
    Content& content = store[micro.key];
    if (!is_list_) content.clear();
    content.insert(content.end(), micro.content.begin(), micro.content.end());
  }

  Content anything(const Client& client, std::int64_t key) {
    Content own;
    Content all = written_[key];
    for (std::size_t i = 0; i < client.micros.size(); ++i) {
      const Micro& micro = client.micros[i];
      if (micro.is_read || micro.key != key) continue;
      std::erase(all, micro.content[0]);
      if (i < client.next) own.push_back(micro.content[0]);
    }
    if (!is_list_) {
      if (!own.empty()) return {own.back()};
      const std::size_t chosen = random_.below(all.size() + 1);
      return chosen == all.size() ? Content() : Content{all[chosen]};
    }
    all.resize(random_.below(all.size() + 1));
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }

  void damage(Client& client) {
    Micro& micro = client.micros[random_.below(client.micros.size())];
    if (!micro.is_read) return;
    const Content& written = written_[micro.key];
    const std::int64_t other =
        written.empty() || random_.chance(0.05) ? 99 : written[random_.below(written.size())];
    Content& content = micro.content;
    const std::uint64_t how = random_.below(4);
    if (how == 0) {
      content.clear();
    } else if (how == 1 && is_list_ && content.size() > 1) {
      std::swap(content[0], content[1 + random_.below(content.size() - 1)]);
    } else if (how == 2 && is_list_ && !content.empty()) {
      content.pop_back();
    } else {
      if (!is_list_) content.clear();
      content.push_back(other);
    }
  }

  Value value_of(History& history, const Client& client, bool is_answered) const {
    std::vector<Value> micros;
    for (const Micro& micro : client.micros) {
      std::vector<Value> items;
      for (const std::int64_t item : micro.content) items.push_back(Value::integer(item));
      Value content;
      if (!micro.is_read) {
        content = items[0];
      } else if (is_answered && is_list_) {
        content = history.list(items);
      } else if (is_answered && !items.empty()) {
        content = items[0];
      }
      const char* const write = is_list_ ? "append" : "w";
      micros.push_back(history.list(
          {history.word(micro.is_read ? "r" : write), Value::integer(micro.key), content}));
    }
    return history.list(micros);
  }

  Random random_;
  const bool is_list_;
  std::int64_t keys_ = 1;
  std::int64_t micros_max_ = 1;
  std::size_t readers_from_ = 0;
  StoreKind store_ = StoreKind::serial;
  std::int64_t value_ = 0;
  Store now_;
  std::vector<Store> past_{{}};
  std::map<std::int64_t, Content> written_;
};

}  // namespace dissensus::history

// A straightforward book in C++: a map of price levels, a list of orders at each, and a hash table
// from id to order. It runs a flow read from a file, one segment for every input line, and answers
// with its CPU time in nanoseconds. At the end, it prints a checksum of the resting orders.

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <list>
#include <map>
#include <unordered_map>
#include <vector>

struct Order {
  int32_t id, size;
};
using Queue = std::list<Order>;
template <class Better> using Side = std::map<int32_t, Queue, Better>;

struct Place {
  bool isBuy;
  int32_t price;
  Queue::iterator order;
};

static Side<std::greater<int32_t>> bids;
static Side<std::less<int32_t>> asks;
static std::unordered_map<int32_t, Place> live;

template <class Levels> static int32_t match(Levels& levels, bool isBuy, int32_t price, int32_t size) {
  while (size > 0 && !levels.empty()) {
    auto level = levels.begin();
    if (isBuy ? level->first > price : level->first < price) break;
    Queue& queue = level->second;
    while (size > 0 && !queue.empty()) {
      Order& maker = queue.front();
      int32_t filled = size < maker.size ? size : maker.size;
      maker.size -= filled;
      size -= filled;
      if (maker.size == 0) {
        live.erase(maker.id);
        queue.pop_front();
      }
    }
    if (queue.empty()) levels.erase(level);
  }
  return size;
}

template <class Levels>
static void rest(Levels& levels, int32_t id, bool isBuy, int32_t price, int32_t size) {
  Queue& queue = levels[price];
  queue.push_back({id, size});
  live.emplace(id, Place{isBuy, price, std::prev(queue.end())});
}

static void place(int32_t id, bool isBuy, int32_t price, int32_t size) {
  int32_t left = isBuy ? match(asks, true, price, size) : match(bids, false, price, size);
  if (left == 0) return;
  if (isBuy) rest(bids, id, true, price, left);
  else rest(asks, id, false, price, left);
}

template <class Levels> static void take(Levels& levels, const Place& at) {
  auto level = levels.find(at.price);
  level->second.erase(at.order);
  if (level->second.empty()) levels.erase(level);
}

static void cancel(int32_t id) {
  auto found = live.find(id);
  if (found == live.end()) return;
  if (found->second.isBuy) take(bids, found->second);
  else take(asks, found->second);
  live.erase(found);
}

static uint32_t checksum = 0x811c9dc5u;
static void mix(int32_t word) { checksum = (checksum ^ (uint32_t)word) * 0x01000193u; }
template <class Levels> static void mixAll(const Levels& levels) {
  for (auto& level : levels)
    for (auto& order : level.second) mix(order.id), mix(level.first), mix(order.size);
}

static int64_t cpuNs() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  FILE* file = fopen(arguments[1], "rb");
  int32_t head[2];
  if (file == nullptr || fread(head, 4, 2, file) != 2) return 2;
  std::vector<int32_t> ends(head[1]), rows(5 * (size_t)head[0]);
  if (fread(ends.data(), 4, ends.size(), file) != ends.size()) return 2;
  if (fread(rows.data(), 4, rows.size(), file) != rows.size()) return 2;
  fclose(file);
  const size_t n = head[0];
  const int32_t *kind = &rows[0], *id = kind + n, *isBuy = id + n, *price = isBuy + n,
                *size = price + n;
  size_t at = 0;
  for (int32_t end : ends) {
    if (getchar() == EOF) return 1;
    int64_t started = cpuNs();
    for (; at < (size_t)end; at++) {
      if (kind[at] != 0) cancel(id[at]);
      if (kind[at] != 1) place(id[at], isBuy[at] == 1, price[at], size[at]);
    }
    printf("%lld\n", (long long)(cpuNs() - started));
    fflush(stdout);
  }
  mixAll(bids);
  mixAll(asks);
  printf("%zu %u\n", live.size(), checksum);
  return 0;
}

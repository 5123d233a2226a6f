// The library's header, which says nothing of C++.
#pragma once

extern "C" {
#include <raft.h>
}

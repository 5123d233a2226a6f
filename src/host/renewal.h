// A stream socket that can be connected again: the one behind a program's descriptor cannot.
#pragma once

#include "host/supervisor.h"

namespace dissensus::host {

/// Puts a fresh socket behind every descriptor of the thread's process that is this one, and into
/// every epoll of it that the old one was in. What was bound to a port stays so. Uses up the
/// thread's call, whose result is then to be set. 0, or the error.
long renew(Supervisor& supervisor, Thread& thread, int fd,
           const std::shared_ptr<StreamSocket>& former);

}  // namespace dissensus::host

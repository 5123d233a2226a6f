// Nodes in JavaScript, for Dissensus: the protocol of docs/formats/process.md.
//
//   const { Node } = require('./node.js');
//   class Echo extends Node {
//     on_echo(source, body) { this.reply(source, body, { type: 'echo_ok', echo: body.echo }); }
//   }
//   Echo.run();
//
// A message of type `echo` calls on_echo, a timer named `election` calls timer_election. While a
// handler runs, the world waits: time stands still, and whatever is sent goes out when it returns.
// A node that keeps to this (no promises, no setTimeout, no Date, no Math.random) does the same again
// for the same seed.
'use strict';
const fs = require('fs');

class Node {
  // ---- for nodes to fill in

  /** The node knows who it is: name, nodes, stored, now. */
  start() {}

  // ---- for nodes to use

  send(to, body) {
    this._out.push(JSON.stringify({ src: this.name, dest: to, body }));
  }
  reply(to, request, body) {
    if (request.msg_id !== undefined) body.in_reply_to = request.msg_id;
    this.send(to, body);
  }
  error(to, request, code, text) {
    this.reply(to, request, { type: 'error', code, text });
  }
  /** Sends a request; `then(body)` gets the answer, if one comes. */
  call(to, body, then) {
    body.msg_id = ++this._lastId;
    this._waiting.set(body.msg_id, then);
    this.send(to, body);
  }
  others() {
    return this.nodes.filter((node) => node !== this.name);
  }
  /** Calls timer_<name> after so many microseconds; a timer has one moment at a time. */
  setTimer(timer, after) {
    this._report({ type: 'set_timer', timer, after });
  }
  cancelTimer(timer) {
    this._report({ type: 'cancel_timer', timer });
  }
  /** Survives a crash: `stored` has it when the node starts again. */
  store(key, value) {
    this.stored[key] = value;
    this._report({ type: 'store', key, value });
  }
  /** 32 bits: xorshift over what the world gives with every event. */
  random() {
    let x = this._random;
    x = (x ^ (x << 13)) >>> 0;
    x = (x ^ (x >>> 17)) >>> 0;
    x = (x ^ (x << 5)) >>> 0;
    return (this._random = x);
  }
  between(low, high) {
    return low + (this.random() % (high - low + 1));
  }

  // Reports: what oracle, trace and conformance checks see. They change nothing.

  propose(instance, value, level = 'value') {
    this._report({ type: 'propose', level, instance, value });
  }
  decide(instance, value, level = 'value') {
    this._report({ type: 'decide', level, instance, value });
  }
  phase(phase) { this._report({ type: 'phase', phase }); }
  round(round) { this._report({ type: 'round', round }); }
  observe(name, value) { this._report({ type: 'observe', name, value }); }
  state(state) { this._report({ type: 'state', state }); }
  step(name, args = [], state = undefined) {
    this._report({ type: 'step', name, arguments: args, state });
  }
  log(text) { this._report({ type: 'log', text }); }

  // ---- the protocol

  _report(line) {
    this._out.push(JSON.stringify(line));
  }
  _handle(line) {
    this.now = line.now;
    this._random = (line.random | 1) >>> 0;
    if (line.timer !== undefined) return this['timer_' + line.timer]();
    const body = line.body;
    if (body.in_reply_to !== undefined) {
      const then = this._waiting.get(body.in_reply_to);
      this._waiting.delete(body.in_reply_to);
      return then && then(body);
    }
    const handler = this['on_' + body.type];
    if (!handler) return this.error(line.src, body, 10, 'no such request: ' + body.type);
    return handler.call(this, line.src, body);
  }

  /** Serves until the world closes its end. Every `init` makes a new node. */
  static run(...args) {
    let node = null;
    for (const text of lines()) {
      const line = JSON.parse(text);
      if (line.body && line.body.type === 'init') {
        node = new this(...args);
        Object.assign(node, { _out: [], _waiting: new Map(), _lastId: 0, now: line.now });
        Object.assign(node, { name: line.body.node_id, nodes: line.body.node_ids });
        node.stored = line.body.stored || {};
        node._random = (line.random | 1) >>> 0;
        node.reply(line.src, line.body, { type: 'init_ok', reset: true });
        node.start();
      } else {
        node._handle(line);
      }
      fs.writeSync(1, node._out.join('\n') + (node._out.length ? '\n' : '') + '{"type":"done"}\n');
      node._out.length = 0;
    }
  }
}

/** Lines of standard input, read as they come, without the event loop. */
function* lines() {
  const chunk = Buffer.alloc(65536);
  let rest = Buffer.alloc(0);
  for (;;) {
    const count = fs.readSync(0, chunk, 0, chunk.length, null);
    if (count === 0) return;
    rest = Buffer.concat([rest, chunk.subarray(0, count)]);
    for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) {
      yield rest.toString('utf8', 0, end);
    }
  }
}

module.exports = { Node };

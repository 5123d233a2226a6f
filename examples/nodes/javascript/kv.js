// A replicated key-value store (workload lin-kv): the node of ../python/kv.py in JavaScript.
//
//   node kv.js           reads are answered by the first node, too
//   node kv.js --local   reads are answered from the copy: faster, and a bug
'use strict';
const { Node } = require('./node.js');
const LOCAL = process.argv.includes('--local');

class KeyValue extends Node {
  start() {
    this.primary = this.nodes[0];
    this.data = this.stored.data || {};
    this.version = this.stored.version || 0;
    this.seen = this.stored.seen || {}; // last request of each client that was carried out
  }
  keep() {
    this.store('data', { ...this.data });
    this.store('version', this.version);
  }
  on_read(source, body) {
    if (this.name === this.primary || LOCAL) this.answerRead(source, body);
    else this.send(this.primary, { type: 'forward', client: source, request: body });
  }
  on_write(source, body) {
    if (this.name === this.primary) this.change(source, body);
    else this.send(this.primary, { type: 'forward', client: source, request: body });
  }
  on_cas(source, body) {
    this.on_write(source, body);
  }
  on_forward(source, body) {
    if (body.request.type === 'read') this.answerRead(body.client, body.request);
    else this.change(body.client, body.request);
  }
  answerRead(client, request) {
    const value = this.data[request.key];
    if (value === undefined) this.error(client, request, 20, 'no such key');
    else this.reply(client, request, { type: 'read_ok', value });
  }
  change(client, request) {
    if (request.msg_id <= (this.seen[client] || 0)) return;
    this.seen[client] = request.msg_id;
    this.store('seen', { ...this.seen });
    const key = String(request.key);
    if (request.type === 'cas') {
      if (!(key in this.data)) return this.error(client, request, 20, 'no such key');
      if (this.data[key] !== request.from) {
        return this.error(client, request, 22, 'the value is another one');
      }
    }
    this.data[key] = request.type === 'cas' ? request.to : request.value;
    this.version += 1;
    this.keep();
    this.decide(this.version, [key, this.data[key]]);
    for (const node of this.others()) {
      this.send(node, { type: 'copy', version: this.version, data: this.data });
    }
    this.reply(client, request, { type: request.type + '_ok' });
  }
  on_copy(source, body) {
    if (body.version > this.version) {
      this.version = body.version;
      this.data = body.data;
      this.keep();
    }
  }
}

KeyValue.run();

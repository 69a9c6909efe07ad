"""Prints what a weft sm is, and then its events: python3 watch.py SOCKET [EVENTS]."""
import http.client, itertools, json, socket, sys

class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(sys.argv[1])

def ask(path, method="GET", body=None):
    sent = Unix("localhost")
    sent.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
    answer = sent.getresponse()
    return answer if answer.status < 300 else sys.exit(answer.read().decode())

status = json.load(ask("/v1/status"))
what = json.load(ask("/v1/whatif", "POST", {"changes": [{"kind": "fail", "what": "links=1,seed=1"}]}))
print(status["role"], "| a link may fail:", what["ok"])
for line in itertools.islice(ask("/v1/events?follow=true"), int((sys.argv + [None])[2] or 10**9)):
    print(json.loads(line)["text"])

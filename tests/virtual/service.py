"""A stand-in for the SWE-bench service that resolves 144 of 200 instances; prints its URL."""

import http.server
import json
import sys


class Service(http.server.BaseHTTPRequestHandler):
    runs = 0

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def run(self, key, state, **more):
        return {"run_id": key, "created_at": 1000.0, "updated_at": 1001.0, "status": state,
                "finished_at": None, "phase": state, "message": None, "error": None, "result": None,
                "artifacts": [], **more}

    def do_GET(self):
        if self.path == "/health":
            capabilities = ["swebench.run", "swebench.cancel", "artifacts.download", "swebench.progress"]
            self.answer(200, {"api_version": "v1", "status": "ok", "capabilities": capabilities})
        else:
            result = {"submitted_instances": 200, "resolved_instances": 144}
            key = self.path.rsplit("/", 1)[-1]
            self.answer(200, self.run(key, "succeeded", finished_at=1012.5, result=result))

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Service.runs += 1
        self.answer(202, self.run(f"run-{Service.runs}", "queued"))

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Service)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()

"""A collector of OpenTelemetry: reads what comes at /v1/traces by the published messages of OTLP, and prints each span as one line of JSON.

The first part of the path gives the statuses of the answers, such as /503,200/v1/traces; the last one repeats. 200-3 tells of three rejected spans.
At /callback it takes callbacks, and prints their trace.
"""
import base64, collections, http.server, json, sys, threading
from google.protobuf.json_format import MessageToJson, ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

lock, tries = threading.Lock(), collections.Counter()


def hexed(value):
    """OTLP writes ids in hex, where JSON of protobuf has base64."""
    if isinstance(value, dict):
        return {
            key: base64.b64encode(bytes.fromhex(one)).decode() if key in ("traceId", "spanId", "parentSpanId") else hexed(one) for key, one in value.items()
        }
    return [hexed(one) for one in value] if isinstance(value, list) else value


def plain(attributes):
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


def spans(body):
    message = ParseDict(hexed(json.loads(body)), ExportTraceServiceRequest())  # an unknown field is an error
    for resource in message.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                assert len(span.trace_id) == 16 and len(span.span_id) == 8 and len(span.parent_span_id) in (0, 8), span
                assert 1_600_000_000_000_000_000 < span.start_time_unix_nano <= span.end_time_unix_nano, span
                yield {
                    "service": plain(resource.resource.attributes)["service.name"], "name": span.name, "kind": span.kind, "trace": span.trace_id.hex(),
                    "span": span.span_id.hex(), "parent": span.parent_span_id.hex(), "state": span.trace_state, "attributes": plain(span.attributes),
                    "events": [event.name for event in span.events], "links": [link.trace_id.hex() for link in span.links],
                    "error": span.status.message if span.status.code == 2 else None,
                    "seconds": (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
                }


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/callback":
            names = ("traceparent", "tracestate")
            # Two lines at once would become one.
            with lock:
                print("callback " + json.dumps({"headers": {name: self.headers.get(name) for name in names}, "event": json.loads(body)}), flush=True)
            return self.answer(200)
        with lock:
            answers = self.path.split("/")[1].split(",")
            tries[self.path] += 1
            status, _, rejected = answers[min(tries[self.path], len(answers)) - 1].partition("-")
            status = int(status)
            try:
                assert self.headers["Content-Type"] == "application/json" and self.path.endswith("/v1/traces"), self.headers
                found = list(spans(body))
                print(f"post {json.dumps({'status': status, 'key': self.headers.get('api-key'), 'spans': len(found)})}", flush=True)
                if status == 200:
                    for span in found:
                        print("span " + json.dumps(span), flush=True)
            except Exception as error:
                print(f"wrong {error!r}", flush=True)
        message = ExportTraceServiceResponse()
        if rejected:
            message.partial_success.rejected_spans = int(rejected)
            message.partial_success.error_message = "too many spans today"
        self.answer(status, MessageToJson(message))

    def answer(self, status, text="{}"):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("ready", server.server_port, flush=True)
server.serve_forever()

"""python-lsp-jsonrpc (Content-Length framing) against a running coordinator."""
import socket
import sys
import threading

from pylsp_jsonrpc.endpoint import Endpoint
from pylsp_jsonrpc.exceptions import JsonRpcException
from pylsp_jsonrpc.streams import JsonRpcStreamReader, JsonRpcStreamWriter


def main(port: int, url: str) -> None:
    connection = socket.create_connection(("127.0.0.1", port))
    stream = connection.makefile("rwb", buffering=0)
    events = []
    endpoint = Endpoint({"image.event": events.append}, JsonRpcStreamWriter(stream).write)
    threading.Thread(target=JsonRpcStreamReader(stream).listen, args=(endpoint.consume,), daemon=True).start()

    assert endpoint.request("system.ping", {}).result(timeout=30) == "pong"
    loads = [
        endpoint.request(
            "image.load",
            {"url": url, "transform": [{"op": "resize", "width": width}], "output": {"format": "png"}, "progress": True},
        )
        for width in range(60, 70)
    ]
    for width, load in zip(range(60, 70), loads):
        result = load.result(timeout=60)
        assert result["renditions"][0]["width"] == width, result
    assert any(event["type"] == "succeeded" for event in events), events
    try:
        endpoint.request("image.load", {"url": 7}).result(timeout=30)
        raise AssertionError("a number was taken for a URL")
    except JsonRpcException as error:
        assert error.code == -32602, error
    print("ok")


main(int(sys.argv[1]), sys.argv[2])

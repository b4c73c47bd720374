"""A port of this machine for a server that listens on a Unix socket alone: JDBC drivers go by TCP."""

import contextlib
import socket
import threading

BLOCK = 1 << 18


def copy(source, sink):
    """Until one of the two ends, which ends the other way, too."""
    with contextlib.suppress(OSError):
        while block := source.recv(BLOCK):
            sink.sendall(block)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def serve(listener, path):
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server = socket.socket(socket.AF_UNIX)
            server.connect(path)
            for ends in ((client, server), (server, client)):
                threading.Thread(target=copy, args=ends, daemon=True).start()


@contextlib.contextmanager
def relay(path):
    """The port, as long as it is needed."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener, path), daemon=True).start()
        yield listener.getsockname()[1]
        # Else a thread that waits for the next connection keeps the port.
        listener.shutdown(socket.SHUT_RDWR)

"""Forwards a TCP port to a server's Unix socket. JDBC drivers need TCP."""

import contextlib
import socket
import threading

BLOCK = 1 << 18


def copy(source, sink):
    """Copies until one side ends, and ends the other side."""
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
    """Returns the port, which exists until the context ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener, path), daemon=True).start()
        yield listener.getsockname()[1]
        # Otherwise a thread that waits for a connection keeps the port.
        listener.shutdown(socket.SHUT_RDWR)

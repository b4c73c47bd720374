//! The byte stream below the protocol: a Unix socket, TCP, or TLS over TCP. Nothing on it waits longer than its time-out.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme, StreamOwned};
use server::{Address, Tls, TlsMode, interrupt};

use crate::error::WireError;

/// How long a host may take to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a waiter looks at the interrupt flag.
const POLL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

pub(crate) struct Stream {
    transport: Transport,
    timeout: Duration,
    /// The same, as `poll` takes it.
    patience: Timespec,
}

enum Transport {
    Unix(Arc<UnixStream>),
    Tcp(Arc<TcpStream>),
    Tls(Box<StreamOwned<ClientConnection, Shared>>),
}

/// A TCP stream that others hold too, to cut it.
struct Shared(Arc<TcpStream>);

/// Ends a connection from another thread than the one that waits on it.
pub(crate) enum Cut {
    Unix(Arc<UnixStream>),
    Tcp(Arc<TcpStream>),
}

impl Cut {
    /// Whoever reads or writes on the connection gets an error, now and from now on.
    pub(crate) fn now(&self) {
        // One that the other end has closed already needs no cutting.
        let _ = match self {
            Cut::Unix(socket) => socket.shutdown(Shutdown::Both),
            Cut::Tcp(socket) => socket.shutdown(Shutdown::Both),
        };
    }
}

impl Stream {
    /// Connects; that, and each read and write from then on, may take `timeout` at most.
    pub(crate) fn connect(address: &Address, timeout: Duration) -> io::Result<Self> {
        let transport = match address {
            Address::Socket(path) => connect_unix(path, timeout).map(|socket| Transport::Unix(Arc::new(socket)))?,
            Address::Tcp { host, port } => {
                let socket = connect_tcp(host, *port, timeout)?;
                Transport::Tcp(Arc::new(socket))
            }
        };
        Ok(Self::new(transport, timeout))
    }

    fn new(transport: Transport, timeout: Duration) -> Self {
        let patience = Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
        Self { transport, timeout, patience }
    }

    /// One end of a pair of sockets.
    #[cfg(test)]
    pub(crate) fn of_pair(socket: UnixStream, timeout: Duration) -> Self {
        socket.set_write_timeout(Some(timeout)).unwrap();
        Self::new(Transport::Unix(Arc::new(socket)), timeout)
    }

    /// What ends this connection from another thread.
    pub(crate) fn cut(&self) -> Cut {
        match &self.transport {
            Transport::Unix(socket) => Cut::Unix(Arc::clone(socket)),
            Transport::Tcp(socket) => Cut::Tcp(Arc::clone(socket)),
            Transport::Tls(session) => Cut::Tcp(Arc::clone(&session.sock.0)),
        }
    }

    fn socket(&self) -> BorrowedFd<'_> {
        match &self.transport {
            Transport::Unix(socket) => socket.as_fd(),
            Transport::Tcp(socket) => socket.as_fd(),
            Transport::Tls(session) => session.sock.0.as_fd(),
        }
    }

    /// Waits for the server's greeting, and meanwhile for signals. A server that is out of files or threads lets the kernel take
    /// connections, and never says a word on them.
    pub(crate) fn wait_for_greeting(&self) -> io::Result<()> {
        let deadline = Instant::now() + self.timeout;
        while Instant::now() < deadline && !interrupt::interrupted() {
            let mut wanted = [PollFd::from_borrowed_fd(self.socket(), PollFlags::IN)];
            match rustix::event::poll(&mut wanted, Some(&POLL)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        Err(no_answer(self.timeout))
    }

    /// Whether a password may cross in clear text: nobody but the server can read it.
    pub(crate) fn is_private(&self) -> bool {
        !matches!(self.transport, Transport::Tcp(_))
    }

    /// Puts TLS over a TCP stream.
    pub(crate) fn secure(self, address: &Address, tls: &Tls) -> Result<Self, WireError> {
        let (Transport::Tcp(tcp), Address::Tcp { host, .. }) = (self.transport, address) else {
            return Err(WireError::protocol("TLS is for TCP connections"));
        };
        let name = ServerName::try_from(host.clone())
            .map_err(|_| WireError::protocol(format!("{host} is no host name TLS can verify")))?;
        let config = client_config(tls)?;
        let session = ClientConnection::new(Arc::new(config), name).map_err(tls_error)?;
        Ok(Self::new(Transport::Tls(Box::new(StreamOwned::new(session, Shared(tcp)))), self.timeout))
    }
}

/// The error of a read or write that took too long.
fn no_answer(timeout: Duration) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("no answer for {} s", timeout.as_secs_f64()))
}

/// The system calls a time-out of a socket "would block".
fn name_timeout(error: io::Error, timeout: Duration) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { no_answer(timeout) } else { error }
}

/// Connecting to a Unix socket waits where the server takes no connections and its queue is full; a time-out for sending is one for
/// this, too (unix(7), socket(7)).
fn connect_unix(path: &Path, timeout: Duration) -> io::Result<UnixStream> {
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    set_socket_timeout(&socket, Timeout::Send, Some(timeout))?;
    rustix::net::connect(&socket, &SocketAddrUnix::new(path)?).map_err(|error| name_timeout(error.into(), timeout))?;
    Ok(UnixStream::from(socket))
}

fn connect_tcp(host: &str, port: u16, timeout: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT.min(timeout)) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(timeout))?;
                stream.set_write_timeout(Some(timeout))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn client_config(tls: &Tls) -> Result<ClientConfig, WireError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier::new(tls, provider.clone())?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(tls_error)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    match (&tls.cert, &tls.key) {
        (Some(cert), Some(key)) => {
            let chain = certificates(cert)?;
            let key = PrivateKeyDer::from_pem_file(key)
                .map_err(|error| WireError::protocol(format!("{}: {error}", key.display())))?;
            builder.with_client_auth_cert(chain, key).map_err(tls_error)
        }
        (None, None) => Ok(builder.with_no_client_auth()),
        _ => Err(WireError::protocol("--ssl-cert and --ssl-key go together")),
    }
}

fn certificates(path: &std::path::Path) -> Result<Vec<CertificateDer<'static>>, WireError> {
    let unreadable = |error: &dyn std::fmt::Display| WireError::protocol(format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    CertificateDer::pem_reader_iter(BufReader::new(file)).collect::<Result<_, _>>().map_err(|error| unreadable(&error))
}

fn tls_error(error: rustls::Error) -> WireError {
    WireError::Io(io::Error::other(error))
}

/// Verifies as far as the TLS mode asks: everything, all but the host name, or nothing.
#[derive(Debug)]
struct Verifier {
    mode: TlsMode,
    inner: Arc<WebPkiServerVerifier>,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    fn new(tls: &Tls, provider: Arc<CryptoProvider>) -> Result<Self, WireError> {
        let mut roots = RootCertStore::empty();
        match &tls.ca {
            Some(path) => {
                for certificate in certificates(path)? {
                    roots.add(certificate).map_err(tls_error)?;
                }
            }
            None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        }
        let inner = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
            .build()
            .map_err(|error| WireError::Io(io::Error::other(error)))?;
        Ok(Self { mode: tls.mode, inner, provider })
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        use rustls::CertificateError::{NotValidForName, NotValidForNameContext};
        if self.mode == TlsMode::Required {
            return Ok(ServerCertVerified::assertion());
        }
        match self.inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // webpki checks the name last, so a chain that fails is never reported as a wrong name.
            Err(rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }))
                if self.mode == TlsMode::VerifyCa =>
            {
                Ok(ServerCertVerified::assertion())
            }
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Sleeps until there is something to read. A blocking read of a Unix socket is also woken when the peer takes what was sent to it
/// (Linux wakes all who wait on the socket when there is room to write again), only to go back to sleep: measured, 1.7 context
/// switches a query instead of 1. `poll` is woken by what it asks for, and keeps the time as well.
fn wait_for_data(stream: &UnixStream, patience: &Timespec) -> io::Result<()> {
    let mut wanted = [PollFd::new(stream, PollFlags::IN)];
    match rustix::event::poll(&mut wanted, Some(patience))? {
        0 => Err(io::ErrorKind::WouldBlock.into()),
        _ => Ok(()),
    }
}

impl Read for Stream {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.transport {
            Transport::Unix(stream) => wait_for_data(stream, &self.patience).and_then(|()| (&**stream).read(buffer)),
            Transport::Tcp(stream) => (&**stream).read(buffer),
            Transport::Tls(stream) => stream.read(buffer),
        };
        read.map_err(|error| name_timeout(error, self.timeout))
    }
}

impl Write for Stream {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.transport {
            Transport::Unix(stream) => (&**stream).write(bytes),
            Transport::Tcp(stream) => (&**stream).write(bytes),
            Transport::Tls(stream) => stream.write(bytes),
        };
        written.map_err(|error| name_timeout(error, self.timeout))
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.transport {
            Transport::Unix(stream) => (&**stream).flush(),
            Transport::Tcp(stream) => (&**stream).flush(),
            Transport::Tls(stream) => stream.flush(),
        }
    }
}

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.0).flush()
    }
}

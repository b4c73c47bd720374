//! The byte stream below the protocol: a Unix socket, TCP, or TLS over TCP.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme, StreamOwned};
use server::{Address, Tls, TlsMode, interrupt};

use crate::error::WireError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server, maybe under full load, may take to greet.
const GREETING_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a waiter looks at the interrupt flag.
const POLL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

pub(crate) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    pub(crate) fn connect(address: &Address) -> io::Result<Self> {
        match address {
            Address::Socket(path) => UnixStream::connect(path).map(Stream::Unix),
            Address::Tcp { host, port } => connect_tcp(host, *port).map(Stream::Tcp),
        }
    }

    /// Waits for the server's greeting. A server that is out of files or threads lets the kernel take connections, and never says a
    /// word on them.
    pub(crate) fn wait_for_greeting(&self) -> io::Result<()> {
        let socket = match self {
            Stream::Unix(socket) => socket.as_fd(),
            Stream::Tcp(socket) => socket.as_fd(),
            Stream::Tls(session) => session.sock.as_fd(),
        };
        let deadline = Instant::now() + GREETING_TIMEOUT;
        while Instant::now() < deadline && !interrupt::interrupted() {
            let mut wanted = [PollFd::from_borrowed_fd(socket, PollFlags::IN)];
            match rustix::event::poll(&mut wanted, Some(&POLL)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        let seconds = GREETING_TIMEOUT.as_secs();
        Err(io::Error::new(io::ErrorKind::TimedOut, format!("the server said nothing for {seconds} s")))
    }

    /// Whether a password may cross in clear text: nobody but the server can read it.
    pub(crate) fn is_private(&self) -> bool {
        !matches!(self, Stream::Tcp(_))
    }

    /// Puts TLS over a TCP stream.
    pub(crate) fn secure(self, address: &Address, tls: &Tls) -> Result<Self, WireError> {
        let (Stream::Tcp(tcp), Address::Tcp { host, .. }) = (self, address) else {
            return Err(WireError::protocol("TLS is for TCP connections"));
        };
        let name = ServerName::try_from(host.clone())
            .map_err(|_| WireError::protocol(format!("{host} is no host name TLS can verify")))?;
        let config = client_config(tls)?;
        let session = ClientConnection::new(Arc::new(config), name).map_err(tls_error)?;
        Ok(Stream::Tls(Box::new(StreamOwned::new(session, tcp))))
    }
}

fn connect_tcp(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
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
/// switches a query instead of 1. `poll` is woken by what it asks for.
fn wait_for_data(stream: &UnixStream) -> io::Result<()> {
    let mut wanted = [PollFd::new(stream, PollFlags::IN)];
    rustix::event::poll(&mut wanted, None)?;
    Ok(())
}

impl Read for Stream {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => {
                wait_for_data(stream)?;
                stream.read(buffer)
            }
            Stream::Tcp(stream) => stream.read(buffer),
            Stream::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.write(bytes),
            Stream::Tcp(stream) => stream.write(bytes),
            Stream::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Unix(stream) => stream.flush(),
            Stream::Tcp(stream) => stream.flush(),
            Stream::Tls(stream) => stream.flush(),
        }
    }
}

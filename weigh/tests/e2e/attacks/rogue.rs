//! A program that plays a server: it forwards to a real server, and answers one statement itself.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// An answer to a statement, in place of the server's.
pub type Answer = fn(&mut UnixStream);

/// Statement that the program answers itself.
#[derive(Clone, Copy)]
pub enum Moment {
    /// Number from 1.
    Number(u32),
    /// First statement with this text.
    Text(&'static str),
}

/// A proxy before a server, on a socket.
pub struct Rogue {
    pub socket: PathBuf,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    statements: AtomicU32,
    has_answered: AtomicBool,
}

impl State {
    /// Counts a statement. True if it is the one to answer.
    fn is_moment(&self, moment: Moment, payload: &[u8]) -> bool {
        let number = self.statements.fetch_add(1, Ordering::SeqCst) + 1;
        let is_it = match moment {
            Moment::Number(at) => number == at,
            Moment::Text(text) => payload.windows(text.len()).any(|part| part == text.as_bytes()),
        };
        is_it && !self.has_answered.swap(true, Ordering::SeqCst)
    }
}

impl Rogue {
    /// Listens in `folder`. `answer` replaces the server's answer to one statement.
    pub fn start(folder: &Path, server: &Path, moment: Moment, answer: Answer) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let socket = folder.join(format!("rogue-{}.sock", STARTED.fetch_add(1, Ordering::SeqCst)));
        let listener = UnixListener::bind(&socket).unwrap();
        let state = Arc::new(State::default());
        let (server, own) = (server.to_owned(), Arc::clone(&state));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (server, state) = (server.clone(), Arc::clone(&own));
                thread::spawn(move || forward(client, &server, moment, answer, &state));
            }
        });
        Self { socket, state }
    }

    /// Runs `attack` with a rogue until it has answered, up to three times: on a busy machine an
    /// earlier statement may take longer than the timeout. Returns whether it has answered.
    pub fn reaches(folder: &Path, server: &Path, moment: Moment, answer: Answer, attack: impl Fn(&Path)) -> bool {
        (0..3).any(|_| {
            let rogue = Self::start(folder, server, moment, answer);
            attack(&rogue.socket);
            rogue.has_answered()
        })
    }

    /// Number of statements so far.
    pub fn statements(&self) -> u32 {
        self.state.statements.load(Ordering::SeqCst)
    }

    pub fn has_answered(&self) -> bool {
        self.state.has_answered.load(Ordering::SeqCst)
    }
}

fn forward(mut client: UnixStream, server: &Path, moment: Moment, answer: Answer, state: &State) -> Option<()> {
    let mut server = UnixStream::connect(server).ok()?;
    copy_beside(&server, &client)?;
    loop {
        let (sequence, payload) = read_packet(&mut client)?;
        // COM_QUERY, COM_STMT_PREPARE and COM_STMT_EXECUTE begin with sequence number 0.
        let is_statement = sequence == 0 && matches!(payload.first(), Some(0x03 | 0x16 | 0x17));
        if is_statement && state.is_moment(moment, &payload) {
            answer(&mut client);
            continue;
        }
        server.write_all(&packet(sequence, &payload)).ok()?;
    }
}

/// Copies what one socket receives to another, in a thread, until either ends.
fn copy_beside(from: &UnixStream, to: &UnixStream) -> Option<()> {
    let (mut from, mut to) = (from.try_clone().ok()?, to.try_clone().ok()?);
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(std::net::Shutdown::Both);
    });
    Some(())
}

/// Reads a packet. Returns its sequence number and payload.
fn read_packet(stream: &mut UnixStream) -> Option<(u8, Vec<u8>)> {
    let mut header = [0; 4];
    stream.read_exact(&mut header).ok()?;
    let mut payload = vec![0; u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize];
    stream.read_exact(&mut payload).ok()?;
    Some((header[3], payload))
}

fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_le_bytes();
    [&length[..3], &[sequence], payload].concat()
}

fn send(client: &mut UnixStream, bytes: &[u8]) -> bool {
    client.write_all(bytes).is_ok()
}

/// The head of a result with one text column.
fn head() -> Vec<u8> {
    let column = [b"\x03def\0\0\0\x01c\x01c\x0c\x2d\0", &1024_u32.to_le_bytes()[..], b"\xfd\0\0\0\0\0"].concat();
    [packet(1, &[1]), packet(2, &column), packet(3, b"\xfe\0\0\x02\0")].concat()
}

pub fn many_columns(client: &mut UnixStream) {
    let count = [&[0xfe][..], &(1_u64 << 40).to_le_bytes()].concat();
    send(client, &packet(1, &count));
}

pub fn most_columns(client: &mut UnixStream) {
    send(client, &packet(1, &[0xfe, 255, 255, 255, 255, 255, 255, 255, 255]));
}

pub fn hundred_million_columns(client: &mut UnixStream) {
    let count = [&[0xfe][..], &100_000_000_u64.to_le_bytes()].concat();
    send(client, &packet(1, &count));
}

pub fn endless_rows(client: &mut UnixStream) {
    let rows: Vec<u8> = (0..=255_u8).flat_map(|n| packet(n.wrapping_add(4), b"\x01x")).collect();
    send(client, &head());
    while send(client, &rows) {}
}

pub fn endless_long_rows(client: &mut UnixStream) {
    let value = [&b"\xfd\xff\xff\x0f"[..], &vec![b'x'; 0x0f_ffff]].concat();
    send(client, &head());
    let mut sequence = 4_u8;
    while send(client, &packet(sequence, &value)) {
        sequence = sequence.wrapping_add(1);
    }
}

/// A row of packets of the greatest length: its end never comes.
pub fn endless_row(client: &mut UnixStream) {
    let packet = |sequence| [&[0xff, 0xff, 0xff, sequence][..], &vec![b'x'; 0xff_ffff]].concat();
    send(client, &head());
    let mut sequence = 4_u8;
    while send(client, &packet(sequence)) {
        sequence = sequence.wrapping_add(1);
    }
}

pub fn dripping_rows(client: &mut UnixStream) {
    send(client, &head());
    let mut sequence = 4_u8;
    while send(client, &packet(sequence, b"\x01x")) {
        sequence = sequence.wrapping_add(1);
        thread::sleep(Duration::from_millis(300));
    }
}

pub fn endless_results(client: &mut UnixStream) {
    // OK packets with SERVER_MORE_RESULTS_EXISTS.
    let mut sequence = 1_u8;
    while send(client, &packet(sequence, b"\0\0\0\x0a\0\0\0")) {
        sequence = sequence.wrapping_add(1);
    }
}

pub fn empty_packet(client: &mut UnixStream) {
    send(client, &packet(1, b""));
}

pub fn wrong_sequence(client: &mut UnixStream) {
    send(client, &packet(99, b"\0\0\0\x02\0\0\0"));
}

pub fn cut_row(client: &mut UnixStream) {
    send(client, &[head(), packet(4, b"\xfc\xff\xffx"), packet(5, b"\xfe\0\0\x02\0")].concat());
}

pub fn null_and_invalid_utf8(client: &mut UnixStream) {
    send(client, &[head(), packet(4, b"\xfb"), packet(5, b"\x02\xff\xfe"), packet(6, b"\xfe\0\0\x02\0")].concat());
}

/// True once a client has sent a file that [`local_infile`] asks for.
pub static HAS_RECEIVED_FILE: AtomicBool = AtomicBool::new(false);

/// Asks for a file.
pub fn local_infile(client: &mut UnixStream) {
    send(client, &packet(1, b"\xfb/etc/passwd"));
    let mut header = [0; 4];
    if client.read_exact(&mut header).is_ok() {
        if header[..3] != [0, 0, 0] {
            HAS_RECEIVED_FILE.store(true, Ordering::SeqCst);
        }
        send(client, &packet(header[3].wrapping_add(1), b"\0\0\0\x02\0\0\0"));
    }
}

/// A proxy before a server that replaces a text in the definitions of `SHOW CREATE`.
pub struct Liar {
    pub socket: PathBuf,
    has_lied: Arc<AtomicBool>,
}

impl Liar {
    pub fn start(folder: &Path, server: &Path, truth: &str, lie: &str) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let socket = folder.join(format!("liar-{}.sock", STARTED.fetch_add(1, Ordering::SeqCst)));
        let listener = UnixListener::bind(&socket).unwrap();
        let has_lied = Arc::new(AtomicBool::new(false));
        let lies = Lies { truth: truth.into(), lie: lie.into(), has_lied: Arc::clone(&has_lied) };
        let server = server.to_owned();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (server, lies) = (server.clone(), lies.clone());
                thread::spawn(move || lies.forward(client, &server));
            }
        });
        Self { socket, has_lied }
    }

    pub fn has_lied(&self) -> bool {
        self.has_lied.load(Ordering::SeqCst)
    }
}

#[derive(Clone)]
struct Lies {
    truth: String,
    lie: String,
    has_lied: Arc<AtomicBool>,
}

impl Lies {
    fn forward(&self, mut client: UnixStream, server: &Path) -> Option<()> {
        let mut server = UnixStream::connect(server).ok()?;
        copy_beside(&client, &server)?;
        loop {
            let (sequence, payload) = read_packet(&mut server)?;
            client.write_all(&packet(sequence, &self.change(payload))).ok()?;
        }
    }

    /// Replaces the text in the fields of a row of `SHOW CREATE`.
    fn change(&self, payload: Vec<u8>) -> Vec<u8> {
        let Some(fields) = fields(&payload) else { return payload };
        let (mut changed, mut is_lie) = (Vec::new(), false);
        for field in fields {
            let Some(field) = field else {
                changed.push(0xfb);
                continue;
            };
            let text = String::from_utf8_lossy(field);
            if text.starts_with("CREATE ") && text.contains(&self.truth) {
                is_lie = true;
                push_field(text.replace(&self.truth, &self.lie).as_bytes(), &mut changed);
            } else {
                push_field(field, &mut changed);
            }
        }
        self.has_lied.fetch_or(is_lie, Ordering::SeqCst);
        if is_lie { changed } else { payload }
    }
}

/// Returns the fields of a row in the text protocol. `None` for another packet.
fn fields(payload: &[u8]) -> Option<Vec<Option<&[u8]>>> {
    let (mut fields, mut rest) = (Vec::new(), payload);
    while let [first, after @ ..] = rest {
        let (length, after) = match first {
            0xfb => {
                fields.push(None);
                rest = after;
                continue;
            }
            0xfc => (usize::from(u16::from_le_bytes([*after.first()?, *after.get(1)?])), after.get(2..)?),
            0xfd => {
                (u32::from_le_bytes([*after.first()?, *after.get(1)?, *after.get(2)?, 0]) as usize, after.get(3..)?)
            }
            0xfe | 0xff => return None,
            length => (usize::from(*length), after),
        };
        fields.push(Some(after.get(..length)?));
        rest = &after[length..];
    }
    Some(fields)
}

fn push_field(field: &[u8], row: &mut Vec<u8>) {
    match field.len() {
        length @ 0..=0xfa => row.push(length as u8),
        length => {
            row.push(0xfd);
            row.extend(&(length as u32).to_le_bytes()[..3]);
        }
    }
    row.extend(field);
}

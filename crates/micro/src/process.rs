//! The engine in a process of its own, a fresh one for each round. Where code, tables and texts lie is chosen for each process, and moves
//! a comparison by up to a tenth, while within one process its interval is ± 2 %.

use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use mysql_collation::Collation;
use serde::{Deserialize, Serialize};

use crate::engine::{Compare, Memcmp};
use crate::error::Error;
use crate::instruction_set::InstructionSet;
use crate::session::Held;
use crate::timing::{Subject, calibrate, ns};

/// How long an answer may take beyond what is timed for it.
const GRACE: Duration = Duration::from_secs(60);
/// How often waiting looks for a signal.
const TICK: Duration = Duration::from_millis(100);

/// What is to be timed: a line of JSON on the process's standard input.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    /// How long one timing takes.
    pub(crate) time: Duration,
    /// The strings.
    pub(crate) held: Held,
    /// The collation by flavour and name, where the engine has it.
    pub(crate) collation: Option<(String, String)>,
    /// The instruction sets by name, in the order in which they are timed; none: the best of the machine.
    pub(crate) instruction_sets: Vec<String>,
}

/// What it took, in ns: a line of JSON on standard output.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// One comparison with each instruction set, in the question's order; none where the engine lacks the collation.
    pub(crate) engine: Vec<f64>,
    /// `memcmp` of the first string with a copy.
    pub(crate) memcmp: f64,
}

/// Answers what is asked, line by line, until the input ends: all that such a process does.
pub fn answer_questions(questions: impl BufRead, mut answers: impl Write) -> io::Result<()> {
    for question in questions.lines() {
        let question: Question = serde_json::from_str(&question?)?;
        serde_json::to_writer(&mut answers, &question.answer()?)?;
        writeln!(answers)?;
        answers.flush()?;
    }
    Ok(())
}

impl Question {
    fn answer(&self) -> io::Result<Answer> {
        let mut engine = Vec::new();
        if let Some((flavour, name)) = &self.collation {
            let flavour = flavour.parse().map_err(io::Error::other)?;
            let collation = Collation::by_name(flavour, name).map_err(io::Error::other)?;
            for instruction_set in self.instruction_sets()? {
                let (a, b) = (&self.held.a, &self.held.b);
                engine.push(one(&mut Compare { instruction_set, collation, a, b }, self.time));
            }
        }
        Ok(Answer { engine, memcmp: one(&mut Memcmp::new(&self.held.a), self.time) })
    }

    fn instruction_sets(&self) -> io::Result<Vec<Option<InstructionSet>>> {
        if self.instruction_sets.is_empty() {
            return Ok(vec![None]);
        }
        let named = |name: &String| name.parse().map(Some).map_err(io::Error::other);
        self.instruction_sets.iter().map(named).collect()
    }
}

/// What doing it once takes, in ns.
fn one<S: Subject<Error = Infallible>>(subject: &mut S, time: Duration) -> f64 {
    let Ok(times) = calibrate(subject, time);
    let Ok(took) = subject.time(times);
    ns(took, times)
}

/// Such a process, as it is asked. It ends with this.
pub(crate) struct EngineProcess {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<io::Result<String>>,
}

impl EngineProcess {
    pub(crate) fn start(mut command: Command) -> Result<Self, Error> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = server::start_bound(command).map_err(failed("start"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let Some((questions, output)) = pipes else { unreachable!("both were asked for") };
        let (sender, answers) = channel();
        // Ends with the process, whose output it reads.
        thread::spawn(move || BufReader::new(output).lines().try_for_each(|line| sender.send(line)));
        Ok(Self { child, questions, answers })
    }

    pub(crate) fn ask(&mut self, question: &Question) -> Result<Answer, Error> {
        let line = serde_json::to_string(question).map_err(io::Error::from).map_err(failed("be asked"))?;
        writeln!(self.questions, "{line}").map_err(failed("be asked"))?;
        let timed = question.time * (question.instruction_sets.len() as u32 + 2);
        let answer = self.wait(Instant::now() + GRACE + 10 * timed)?;
        serde_json::from_str(&answer).map_err(io::Error::from).map_err(failed("answer"))
    }

    fn wait(&self, limit: Instant) -> Result<String, Error> {
        loop {
            match self.answers.recv_timeout(TICK) {
                Ok(answer) => return answer.map_err(failed("answer")),
                Err(RecvTimeoutError::Disconnected) => return Err(failed("answer")(io::ErrorKind::BrokenPipe.into())),
                Err(RecvTimeoutError::Timeout) if Instant::now() > limit => {
                    return Err(failed("answer")(io::ErrorKind::TimedOut.into()));
                }
                Err(RecvTimeoutError::Timeout) => server::interrupt::check()?,
            }
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn failed(what: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::Engine { what, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &Question) -> io::Result<Vec<Answer>> {
        let line = serde_json::to_string(question).unwrap();
        let mut answers = Vec::new();
        answer_questions(format!("{line}\n{line}\n").as_bytes(), &mut answers)?;
        Ok(answers.split_inclusive(|&byte| byte == b'\n').map(|line| serde_json::from_slice(line).unwrap()).collect())
    }

    fn question(collation: Option<(&str, &str)>, instruction_sets: &[&str]) -> Question {
        Question {
            time: Duration::from_micros(100),
            held: Held { a: b"abc".to_vec(), b: b"ABC".to_vec() },
            collation: collation.map(|(flavour, name)| (flavour.into(), name.into())),
            instruction_sets: instruction_sets.iter().map(|name| (*name).into()).collect(),
        }
    }

    #[test]
    fn each_question_has_a_line_with_a_time_for_each_instruction_set() {
        let general_ci = Some(("mariadb", "utf8mb4_general_ci"));
        let all: Vec<&str> = InstructionSet::all().map(InstructionSet::name).collect();
        for (question, times) in
            [(question(general_ci, &[]), 1), (question(general_ci, &all), all.len()), (question(None, &all), 0)]
        {
            let answers = asked(&question).unwrap();
            assert_eq!(answers.len(), 2);
            for answer in answers {
                assert_eq!(answer.engine.len(), times);
                assert!(answer.engine.iter().all(|&time| time > 0.0) && answer.memcmp > 0.0, "{answer:?}");
            }
        }
    }

    #[test]
    fn what_the_engine_lacks_is_an_error() {
        assert!(asked(&question(Some(("mysql", "utf8mb4_genral_ci")), &[])).is_err());
        assert!(asked(&question(Some(("mysql", "utf8mb4_bin")), &["altivec"])).is_err());
    }

    #[test]
    fn a_process_that_ends_or_prints_what_is_no_answer_is_an_error() {
        for program in ["true", "echo"] {
            let mut process = EngineProcess::start(Command::new(program)).unwrap();
            let error = process.ask(&question(None, &[])).unwrap_err();
            assert!(matches!(error, Error::Engine { .. }), "{error}");
        }
    }
}

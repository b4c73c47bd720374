//! The servers of a run, and where no variant may evict another's pages, an instance of its server for each.

use server::{Progress, Server};

use crate::buffer_pool::Sizing;

/// Instances by number: the servers that were asked for first, in their order, then what they have more.
pub(crate) struct Instances<'a> {
    servers: &'a mut [Server],
    /// Which server each is one more of, and the instance.
    more: Vec<(usize, Server)>,
}

impl<'a> Instances<'a> {
    /// One instance of each.
    pub(crate) fn new(servers: &'a mut [Server]) -> Self {
        Self { servers, more: Vec::new() }
    }

    /// The servers that were asked for.
    pub(crate) fn servers(&self) -> &[Server] {
        self.servers
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().chain(self.more.iter().map(|(_, server)| server))
    }

    /// The instances of a server, with their numbers.
    pub(crate) fn of(&self, server: usize) -> impl Iterator<Item = (usize, &Server)> {
        let more = self.more.iter().enumerate().filter(move |(_, (of, _))| *of == server);
        let numbered = more.map(|(place, (_, instance))| (self.servers.len() + place, instance));
        std::iter::once((server, &self.servers[server])).chain(numbered)
    }

    pub(crate) fn get(&self, number: usize) -> &Server {
        match number.checked_sub(self.servers.len()) {
            None => &self.servers[number],
            Some(place) => &self.more[place].1,
        }
    }

    /// Starts each server anew with a buffer pool of this size, and as many more of it as its variants need.
    pub(crate) fn set_apart(&mut self, sizing: &Sizing, progress: &dyn Progress) -> Result<(), server::Error> {
        for (index, (server, &instances)) in self.servers.iter_mut().zip(&sizing.instances).enumerate() {
            server.start_anew_with_buffer_pool(sizing.pool_bytes, progress)?;
            for number in 2..=instances {
                let label = format!("{}, instance {number}", server.label());
                self.more.extend(server.another(label, progress)?.map(|instance| (index, instance)));
            }
        }
        Ok(())
    }

    /// Starts all private ones anew, with empty data folders.
    pub(crate) fn start_anew(&mut self, progress: &dyn Progress) -> Result<(), server::Error> {
        let more = self.more.iter_mut().map(|(_, server)| server);
        self.servers.iter_mut().chain(more).try_for_each(|server| server.start_anew(progress))
    }
}

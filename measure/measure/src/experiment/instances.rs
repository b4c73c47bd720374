//! Server instances of a run: one per server, or one per variant if no variant may evict another's
//! pages.

use server::{Progress, Server};

use crate::plan::BufferPoolSizing;

/// Instances by number: first the requested servers in order, then the additional instances.
pub(crate) struct Instances<'a> {
    servers: &'a mut [Server],
    /// Index of the server and its additional instance.
    additional: Vec<(usize, Server)>,
}

impl<'a> Instances<'a> {
    /// Starts with one instance per server.
    pub(crate) fn new(servers: &'a mut [Server]) -> Self {
        Self { servers, additional: Vec::new() }
    }

    /// The first instance of each requested server.
    pub(crate) fn servers(&self) -> &[Server] {
        self.servers
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().chain(self.additional.iter().map(|(_, server)| server))
    }

    /// Returns the instances of a server with their numbers.
    pub(crate) fn for_server(&self, server: usize) -> impl Iterator<Item = (usize, &Server)> {
        let additional = self.additional.iter().enumerate().filter(move |(_, (owner, _))| *owner == server);
        let numbered = additional.map(|(place, (_, instance))| (self.servers.len() + place, instance));
        std::iter::once((server, &self.servers[server])).chain(numbered)
    }

    pub(crate) fn get(&self, number: usize) -> &Server {
        match number.checked_sub(self.servers.len()) {
            None => &self.servers[number],
            Some(place) => &self.additional[place].1,
        }
    }

    /// Restarts each server with a buffer pool of `sizing.pool_bytes`, and starts an additional
    /// instance per further variant.
    pub(crate) fn start_one_per_variant(
        &mut self,
        sizing: &BufferPoolSizing,
        progress: &dyn Progress,
    ) -> Result<(), server::Error> {
        for (index, (server, &instances)) in self.servers.iter_mut().zip(&sizing.instances).enumerate() {
            server.restart_with_buffer_pool(sizing.pool_bytes, progress)?;
            for number in 2..=instances {
                let label = format!("{}, instance {number}", server.label());
                self.additional.extend(server.start_another(label, progress)?.map(|instance| (index, instance)));
            }
        }
        Ok(())
    }

    /// Restarts all private instances with empty data directories.
    pub(crate) fn start_anew(&mut self, progress: &dyn Progress) -> Result<(), server::Error> {
        let additional = self.additional.iter_mut().map(|(_, server)| server);
        self.servers.iter_mut().chain(additional).try_for_each(|server| server.restart(progress))
    }
}

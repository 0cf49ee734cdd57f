//! A response, from its head to its last byte, as its bytes arrive; without any I/O.

use super::fault;
use super::http1::{Framing, Head, HeadReader, Malformed};
use super::reading::Reading;
use crate::wire::{Failure, Reply};

/// The most of an error body that is read.
const MAX_ERROR_BODY_BYTES: usize = 64 << 10;

/// A response being received.
pub(super) struct Response {
    stage: Stage,
    /// Whether any byte has arrived.
    begun: bool,
    keep_alive: bool,
}

enum Stage {
    Head(HeadReader),
    /// The body of a 2xx response.
    Reply {
        framing: Framing,
        reading: Box<Reading>,
    },
    /// The body of another response, of which the beginning is kept.
    Error {
        framing: Framing,
        head: Box<Head>,
        text: Vec<u8>,
    },
}

impl Response {
    /// A response of which nothing has arrived.
    pub(super) fn new() -> Self {
        Self { stage: Stage::Head(HeadReader::default()), begun: false, keep_alive: false }
    }

    /// Takes the next bytes of the connection.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> Result<(), Failure> {
        self.begun = true;
        if let Stage::Head(reader) = &mut self.stage {
            let head = reader.next(&mut bytes);
            match head.map_err(|error| fault::from_malformed(&error, "before the reply began"))? {
                Some(head) => self.start(head)?,
                None => return Ok(()),
            }
        }
        let taken = self.take_body(&mut bytes);
        if !bytes.is_empty() {
            // Nobody asked for what follows.
            self.keep_alive = false;
        }
        taken
    }

    /// Takes the end of the connection.
    pub(super) fn close(&mut self) -> Result<(), Failure> {
        self.keep_alive = false;
        match &mut self.stage {
            Stage::Head(_) => Err(fault::closed(if self.begun {
                "inside the head of the response"
            } else {
                "before the reply began"
            })),
            Stage::Reply { framing, reading } => {
                framing.close().map_err(fault::from_cut)?;
                reading.end()
            }
            Stage::Error { .. } => Ok(()),
        }
    }

    /// Whether any byte has arrived.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether the head is complete.
    pub(super) fn has_body(&self) -> bool {
        !matches!(self.stage, Stage::Head(_))
    }

    /// Whether the first fragment came with the bytes taken last; true once.
    pub(super) fn take_first(&mut self) -> bool {
        match &mut self.stage {
            Stage::Reply { reading, .. } => reading.take_first(),
            _ => false,
        }
    }

    /// Whether the reply is complete, be it that the response goes on.
    pub(super) fn is_done(&self) -> bool {
        matches!(&self.stage, Stage::Reply { reading, .. } if reading.is_done())
    }

    /// Whether this is no reply but an error of the server's.
    pub(super) fn is_error(&self) -> bool {
        matches!(self.stage, Stage::Error { .. })
    }

    /// Whether the response was read to its end.
    pub(super) fn is_over(&self) -> bool {
        match &self.stage {
            Stage::Head(_) => false,
            Stage::Reply { framing, .. } | Stage::Error { framing, .. } => framing.is_over(),
        }
    }

    /// Whether enough of an error body was read.
    pub(super) fn is_enough(&self) -> bool {
        matches!(&self.stage, Stage::Error { text, .. } if text.len() >= MAX_ERROR_BODY_BYTES)
    }

    /// Whether the connection can be used for another request.
    pub(super) fn keeps_alive(&self) -> bool {
        self.keep_alive && self.is_over()
    }

    /// The reply, or why there is none.
    pub(super) fn finish(self) -> Result<Reply, Failure> {
        match self.stage {
            Stage::Reply { reading, .. } => reading.finish(),
            Stage::Error { head, text, .. } => Err(fault::from_status(&head, &text)),
            Stage::Head(_) => Err(fault::closed("before the reply began")),
        }
    }

    fn start(&mut self, head: Head) -> Result<(), Failure> {
        self.keep_alive = head.keep_alive;
        let framing = head.framing;
        self.stage = if (200..300).contains(&head.status) {
            if let Some(encoding) = &head.encoding {
                return Err(fault::from_encoding(encoding));
            }
            let mut reading = Box::new(Reading::new(head.events, head.content_type));
            if framing.is_over() {
                reading.end()?;
            }
            Stage::Reply { framing, reading }
        } else {
            let head = Box::new(Head { framing: Framing::UntilClose, ..head });
            Stage::Error { framing, head, text: Vec::new() }
        };
        Ok(())
    }

    fn take_body(&mut self, bytes: &mut &[u8]) -> Result<(), Failure> {
        let malformed = |error: Malformed| fault::from_malformed(&error, "inside the reply");
        match &mut self.stage {
            Stage::Head(_) => Ok(()),
            Stage::Reply { framing, reading } => {
                let over_before = framing.is_over();
                while let Some(data) = framing.next(bytes).map_err(malformed)? {
                    if !reading.is_done() {
                        reading.take(data)?;
                    }
                }
                if framing.is_over() && !over_before && !reading.is_done() {
                    reading.end()?;
                }
                Ok(())
            }
            Stage::Error { framing, text, .. } => {
                // What is behind a garbled place is not worth another error.
                while let Ok(Some(data)) = framing.next(bytes) {
                    let room = MAX_ERROR_BODY_BYTES.saturating_sub(text.len());
                    text.extend_from_slice(&data[..data.len().min(room)]);
                }
                Ok(())
            }
        }
    }
}

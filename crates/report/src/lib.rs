//! Terminal tables, Markdown, CSV and JSON of a run; reads results, measures nothing.

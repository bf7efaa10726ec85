"""Other tools doing the same job, each in the fastest fair way it offers: one function, one process."""

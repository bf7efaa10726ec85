"""What a scan would take and find, estimated from a sample before the work: survey, rehearsal, estimate."""

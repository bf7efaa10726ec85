"""What a scan would take and find, told from a sample before the work."""

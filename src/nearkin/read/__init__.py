"""From files to text: what encoding, what format, what words."""

"""The lab: sample repositories whose truth is known by construction."""

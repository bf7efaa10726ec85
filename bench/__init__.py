"""Speed, memory, precision and recall of nearkin beside other tools: `make bench CORPUS=folder`.

Every comparison is a ratio within one run on one machine: seconds alone say more about the machine than
about the tools.
"""

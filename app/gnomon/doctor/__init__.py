"""The doctor: small checks of an installation, one file a topic.

A check looks at one thing and answers an Exam: what it saw, and a finding for whatever is not as it should be. Findings say
what is the case, why it matters and what to do. A new topic is a new file and a line in run.CHECKS.
"""

"""Faults of inline-completion and edit tools, each as one small input that the whole server has to get right.

`python -m tests.cases FILE.jsonl` runs a file of them; `*.jsonl` beside this are our own. The form of a line is in
`case.py`, what is done with it in `acting.py`, what may be checked in `checks.py`.
"""

"""Print the most frequent words of a text file."""

import re
import sys
from collections import Counter
from pathlib import Path

WORD = re.compile(r"[a-z']+")


def count_words(text: str) -> Counter[str]:
    """How often each word occurs, upper and lower case alike."""
    counts: Counter[str] = Counter()
    for word in WORD.findall(text.lower()):
        
    return counts


def main() -> None:
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    for word, count in count_words(text).most_common(10):
        print(f"{count:6} {word}")


if __name__ == "__main__":
    main()

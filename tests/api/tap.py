"""Reports checks in the Test Anything Protocol, as the C tests do."""


class Tap:
    def __init__(self):
        self.count = 0
        self.failures = 0

    def check(self, name, problems):
        """One check: it passes if `problems`, a list of lines, is empty."""
        self.count += 1
        self.failures += bool(problems)
        print("ok" if not problems else "not ok", self.count, "-", name)
        for problem in problems:
            print("#", problem)

    def skip(self, name, reason):
        self.count += 1
        print("ok", self.count, "-", name, "# SKIP", reason)

    def finish(self):
        """Ends the report. Its lines say what failed: meson wants exit code 0."""
        print(f"1..{self.count}")

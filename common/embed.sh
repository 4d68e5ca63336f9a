#!/bin/sh
# Writes C: the files named as arguments, as strings, and the digest of their names and texts (common/embed.h).
# `?` is escaped because -std=c11 knows trigraphs.
set -e
echo '#include "common/embed.h"'
echo 'const EmbeddedFile embedded_file[] = {'
for file in "$@"; do
	printf '\t{"%s",\n' "$file"
	LC_ALL=C sed 's/[\\"?]/\\&/g; s/	/\\t/g; s/.*/"&\\n"/' "$file"
	printf '""},\n'
done
echo '};'
echo 'const int embedded_count = sizeof embedded_file / sizeof *embedded_file;'
digest=$(sha256sum "$@")
digest=$(printf '%s\n' "$digest" | sha256sum)
printf 'const char embedded_digest[] = "%.64s";\n' "$digest"

"""FAISS on the files of bench/peers.mjs: faiss_peer.py CODES QUERIES DISTANCE KIND OUT [QUERIES_USED].

KIND is flat or multihash. One thread. Writes the matches to OUT as (query, id, distance) in three little-endian
uint32 each, and prints one line of JSON: seconds of processor time, and bytes where the index can tell.
"""

import json
import os
import resource
import sys
import time

import faiss
import numpy

codes_file, queries_file, distance, kind, out, used = sys.argv[1:7]
distance, used = int(distance), int(used)
faiss.omp_set_num_threads(1)


def read(name):
    return numpy.fromfile(name, dtype=numpy.uint8).reshape(-1, 8)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


codes, queries = read(codes_file), read(queries_file)[:used]
before = resident()
start = time.process_time()
# Four exact keys of 16 bits: 3 errors leave one of them whole.
index = faiss.IndexBinaryFlat(64) if kind == "flat" else faiss.IndexBinaryMultiHash(64, 4, 16)
if kind == "multihash":
    index.nflip = 0
index.add(codes)
load = time.process_time() - start
grown = resident() - before

seconds = []
for _ in range(3 if kind == "multihash" else 1):
    start = time.process_time()
    # Matches are those nearer than the radius.
    limits, distances, ids = index.range_search(queries, distance + 1)
    seconds.append(time.process_time() - start)

rows = numpy.repeat(numpy.arange(len(queries)), numpy.diff(limits.astype(numpy.int64)))
numpy.stack([rows, ids, distances.astype(numpy.int64)], axis=1).astype("<u4").tofile(out)
print(json.dumps({"load": load, "query": sorted(seconds)[len(seconds) // 2], "bytes": grown, "version": faiss.__version__}))

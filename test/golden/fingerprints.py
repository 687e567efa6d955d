"""Makes fingerprints.json: fingerprints by a third implementation, in plain Python, that shares nothing with the two
engines. Python brings its own Unicode tables (unicodedata), so the samples keep to characters that every version since
Unicode 6 has.

    python3 test/golden/fingerprints.py > test/golden/fingerprints.json
"""
import collections
import json
import math
import struct
import sys
import unicodedata

M = (1 << 64) - 1
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def fold(a, b):
    product = a * b
    return (product & M) ^ (product >> 64)


def swap(x, size):
    return int.from_bytes(x.to_bytes(size, "little"), "big")


def rotate(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & M


def avalanche(x):
    x = ((x ^ (x >> 37)) * 0x165667919E3779F9) & M
    return x ^ (x >> 32)


def avalanche64(x):
    x = ((x ^ (x >> 33)) * P64[1]) & M
    x = ((x ^ (x >> 29)) * P64[2]) & M
    return x ^ (x >> 32)


def mix(data, at, secret_at):
    return fold(u64(data, at) ^ u64(SECRET, secret_at), u64(data, at + 8) ^ u64(SECRET, secret_at + 8))


def xxh3(data):
    """XXH3-64 with seed 0."""
    n = len(data)
    if n == 0:
        return avalanche64(u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        combined = data[-1] | n << 8 | data[0] << 16 | data[n >> 1] << 24
        return avalanche64((u32(SECRET, 0) ^ u32(SECRET, 4)) ^ combined)
    if n <= 8:
        x = u64(SECRET, 8) ^ u64(SECRET, 16) ^ (u32(data, n - 4) | u32(data, 0) << 32)
        x ^= rotate(x, 49) ^ rotate(x, 24)
        x = (x * 0x9FB21C651E98DF25) & M
        x ^= (x >> 35) + n
        x = (x * 0x9FB21C651E98DF25) & M
        return x ^ (x >> 28)
    if n <= 16:
        low = u64(SECRET, 24) ^ u64(SECRET, 32) ^ u64(data, 0)
        high = u64(SECRET, 40) ^ u64(SECRET, 48) ^ u64(data, n - 8)
        return avalanche((n + swap(low, 8) + high + fold(low, high)) & M)
    if n <= 128:
        x = n * P64[0]
        for i in range((n - 1) // 32 + 1):
            x += mix(data, 16 * i, 32 * i) + mix(data, n - 16 * i - 16, 32 * i + 16)
        return avalanche(x & M)
    if n <= 240:
        x = n * P64[0] + sum(mix(data, 16 * i, 16 * i) for i in range(8))
        x = avalanche(x & M) + sum(mix(data, 16 * i, 16 * (i - 8) + 3) for i in range(8, n // 16))
        return avalanche((x + mix(data, n - 16, 119)) & M)
    lanes = [P32_3, P64[0], P64[1], P64[2], P64[3], P32_2, P64[4], P32_1]

    def accumulate(at, secret_at):
        for i in range(8):
            word = u64(data, at + 8 * i)
            keyed = word ^ u64(SECRET, secret_at + 8 * i)
            lanes[i ^ 1] = (lanes[i ^ 1] + word) & M
            lanes[i] = (lanes[i] + (keyed & 0xFFFFFFFF) * (keyed >> 32)) & M

    stripes = (n - 1) // 64
    for stripe in range(stripes):
        accumulate(64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:
            for i in range(8):
                lanes[i] = ((lanes[i] ^ (lanes[i] >> 47) ^ u64(SECRET, 128 + 8 * i)) * P32_1) & M
    accumulate(n - 64, 121)
    x = n * P64[0]
    for i in range(0, 8, 2):
        x += fold(lanes[i] ^ u64(SECRET, 11 + 8 * i), lanes[i + 1] ^ u64(SECRET, 19 + 8 * i))
    return avalanche(x & M)


SPACELESS = ("CJK UNIFIED", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "COMBINING KATAKANA")
IGNORABLE = "\u00ad\u034f\u200b\u200c\u200d\ufe0f\ufeff"


def kind(c):
    if unicodedata.category(c)[0] not in "LMN":
        return ""
    return "spaceless" if unicodedata.name(c).startswith(SPACELESS) else "word"


def folded(text):
    text = "".join(c for c in unicodedata.normalize("NFC", text) if c not in IGNORABLE)
    return text.casefold()


def words(text):
    runs = []
    previous = ""
    for c in folded(text):
        if kind(c) and kind(c) == previous:
            runs[-1] += c
        elif kind(c):
            runs.append(c)
        previous = kind(c)
    out = []
    for run in runs:
        if kind(run[0]) == "word" or len(run) == 1:
            out.append(run)
        else:
            out += [run[i : i + 2] for i in range(len(run) - 1)]
    return out


def chars(text):
    return list(" ".join("".join(c if kind(c) else " " for c in folded(text)).split()))


def ngrams(units, low, high, joint):
    if 0 < len(units) < low:
        return [joint.join(units)]
    return [
        joint.join(units[i : i + width]) for width in range(low, high + 1) for i in range(len(units) - width + 1)
    ]


WEIGHTS = {
    "set": lambda tf: 65536,
    "count": lambda tf: 65536 * tf,
    "log": lambda tf: round(65536 * (1 + math.log(tf))),
}


def fingerprint(features, weight):
    if not features:
        return None
    votes = [0] * 64
    for feature, tf in collections.Counter(features).items():
        h = xxh3(feature.encode())
        for i in range(64):
            votes[i] += WEIGHTS[weight](tf) if h >> i & 1 else -WEIGHTS[weight](tf)
    return f"{sum(1 << i for i in range(64) if votes[i] > 0):016x}"


SAMPLES = [
    "",
    " ,;- \n",
    "Hello",
    "The quick brown fox jumps over the lazy dog.",
    "The THE the: a a a a b b c, d-e_f",
    "Straße STRASSE İstanbul ΟΔΟΣ οδός",
    "nai\u0308ve na\u00efve caf\u00e9 cafe\u0301 a\u0323\u0307 a\u0307\u0323 =\u0338 so\u00adft e\u034f\u0301",
    "東京都に住んでいます。東 カ\u3099ラス 2024年 Node.jsで",
    "ภาษาไทย ไม่มีช่องว่าง ພາສາລາວ ភាសាខ្មែរ",
    "한국어 \u1112\u1161\u11ab\u1100\u1173\u11af 띄어쓰기",
    "😀 👍🏽 only emoji 👩\u200d👩\u200d👧 \ufe0f",
    "x" * 300 + " " + "y" * 150 + " z",
    " ".join(f"word{i * i % 97}" for i in range(2000)),
]
RECIPES = [
    ("neardup:1 words ngrams=1..1 weight=log", words, 1, 1, " ", "log"),
    ("neardup:1 words ngrams=1..3 weight=set", words, 1, 3, " ", "set"),
    ("neardup:1 shingles width=3 weight=count", words, 3, 3, " ", "count"),
    ("neardup:1 chars n=5 weight=count", chars, 5, 5, "", "count"),
]

if __name__ == "__main__":
    rows = [
        {
            "text": text,
            "fingerprints": {
                name: fingerprint(ngrams(units(text), low, high, joint), weight)
                for name, units, low, high, joint, weight in RECIPES
            },
        }
        for text in SAMPLES
    ]
    json.dump(rows, sys.stdout, indent=2)
    print()

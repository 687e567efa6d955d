#include "binding/index_values.h"

#include <algorithm>
#include <string>

#include "binding/errors.h"
#include "binding/values.h"

namespace neardup::binding {

namespace {

Status Invalid(const std::string& message) { return Status(StatusCode::kInvalidType, message); }

template <typename Element>
Status ReadColumn(Napi::Env env, Napi::Value value, napi_typedarray_type type, const char* name, bool copy,
                  Column<Element>* column, size_t* count) {
  Elements<Element> elements;
  if (!ReadElements(env, value, type, &elements)) return Invalid(std::string(name) + " have the wrong type");
  if (*count == SIZE_MAX) *count = elements.size;
  if (elements.size != *count)
    return Status(StatusCode::kOutOfRange, std::string("there must be as many ") + name + " as fingerprints");
  column->data = elements.data;
  if (copy || elements.is_shared) {
    if (elements.size != 0) column->copy.assign(elements.data, elements.data + elements.size);
    column->data = column->copy.data();
  }
  return Status();
}

// Integers from 0 to 2^53 - 1, given as doubles.
Status ReadIntegers(Napi::Env env, Napi::Value value, const char* name, size_t count,
                    std::vector<uint64_t>* integers) {
  Elements<double> elements;
  if (!ReadElements(env, value, napi_float64_array, &elements))
    return Invalid(std::string(name) + " must be a Float64Array");
  if (elements.size != count)
    return Status(StatusCode::kOutOfRange, std::string("there must be as many ") + name + " as fingerprints");
  integers->resize(count);
  bool valid = true;
  for (size_t i = 0; i < count; ++i) {
    const double number = elements.data[i];
    const bool is_valid = number >= 0 && number <= static_cast<double>(kMaxId);
    valid &= is_valid;
    (*integers)[i] = is_valid ? static_cast<uint64_t>(number) : 0;
  }
  if (valid) return Status();
  return Status(StatusCode::kOutOfRange, std::string(name) + " must be integers from 0 to 2^53 - 1");
}

Status ReadDistance(Napi::Value value, unsigned most, const char* name, unsigned* distance) {
  uint64_t read = 0;
  if (!ReadNumber(value, 0, 65, &read)) return Invalid(std::string(name) + " must be a number");
  if (read > most)
    return Status(StatusCode::kOutOfRange, std::string(name) + " must be 0 to " + std::to_string(most));
  *distance = static_cast<unsigned>(read);
  return Status();
}

}  // namespace

EntryColumns EntryArguments::view() const {
  return {count,     fingerprints.data, ids.data(), times.empty() ? nullptr : times.data(),
          tags.data, seconds.data};
}

Queries QueryArguments::view() const { return {count, fingerprints.data, tags.data, seconds.data, nullptr}; }

Status ReadEntries(Napi::Env env, Napi::Value value, ColumnSet columns, bool copy, EntryArguments* entries) {
  if (!value.IsObject()) return Invalid("entries must be an object");
  auto object = value.As<Napi::Object>();
  // All are fetched before any is read: fetching may run code that takes an array's memory away.
  const Napi::Value fingerprints = object.Get("fingerprints"), ids = object.Get("ids");
  Napi::Value times, tags, seconds;
  if (columns.time) times = object.Get("times");
  if (columns.tag) tags = object.Get("tags");
  if (columns.second) seconds = object.Get("secondFingerprints");
  if (env.IsExceptionPending()) return Invalid("entries cannot be read");
  size_t count = SIZE_MAX;
  Status status = ReadColumn(env, fingerprints, napi_biguint64_array, "fingerprints", copy,
                             &entries->fingerprints, &count);
  if (status.ok()) status = ReadIntegers(env, ids, "ids", count, &entries->ids);
  if (status.ok() && columns.time) status = ReadIntegers(env, times, "times", count, &entries->times);
  if (status.ok() && columns.tag)
    status = ReadColumn(env, tags, napi_uint32_array, "tags", copy, &entries->tags, &count);
  if (status.ok() && columns.second)
    status =
        ReadColumn(env, seconds, napi_biguint64_array, "secondFingerprints", copy, &entries->seconds, &count);
  entries->count = count;
  return status;
}

Status ReadEntries(Napi::Env env, Napi::Value fingerprints, Napi::Value ids, EntryArguments* entries) {
  size_t count = SIZE_MAX;
  Status status = ReadColumn(env, fingerprints, napi_biguint64_array, "fingerprints", false,
                             &entries->fingerprints, &count);
  if (status.ok()) status = ReadIntegers(env, ids, "ids", count, &entries->ids);
  entries->count = count;
  return status;
}

Status ReadQueries(Napi::Env env, Napi::Value value, ColumnSet columns, bool copy, QueryArguments* queries) {
  if (!value.IsObject()) return Invalid("queries must be an object");
  auto object = value.As<Napi::Object>();
  const Napi::Value fingerprints = object.Get("fingerprints");
  const Napi::Value tags = object.Get("tags"), seconds = object.Get("secondFingerprints");
  if (env.IsExceptionPending()) return Invalid("queries cannot be read");
  size_t count = SIZE_MAX;
  Status status = ReadColumn(env, fingerprints, napi_biguint64_array, "fingerprints", copy,
                             &queries->fingerprints, &count);
  if (status.ok() && columns.tag && !tags.IsUndefined())
    status = ReadColumn(env, tags, napi_uint32_array, "tags", copy, &queries->tags, &count);
  if (status.ok() && columns.second && !seconds.IsUndefined())
    status =
        ReadColumn(env, seconds, napi_biguint64_array, "secondFingerprints", copy, &queries->seconds, &count);
  queries->count = count;
  return status;
}

Status ReadSearch(Napi::Value value, Search* search, bool* has_second) {
  if (!value.IsObject()) return Invalid("search must be an object");
  auto object = value.As<Napi::Object>();
  if (Status s = ReadDistance(object.Get("distance"), 64, "distance", &search->distance); !s.ok()) return s;
  if (!ReadNumber(object.Get("limit"), 1, kNoLimit, &search->limit))
    return Invalid("limit must be a number from 1");
  const Napi::Value second = object.Get("secondDistance"), since = object.Get("since");
  *has_second = !second.IsUndefined();
  if (*has_second) {
    if (Status s = ReadDistance(second, 64, "secondDistance", &search->second_distance); !s.ok()) return s;
  }
  if (!since.IsUndefined() && !ReadNumber(since, 0, kMaxId, &search->since))
    return Invalid("since must be a number");
  return Status();
}

bool ReadNumber(Napi::Value value, uint64_t low, uint64_t high, uint64_t* number) {
  if (!value.IsNumber()) return false;
  const double read = value.As<Napi::Number>().DoubleValue();
  if (!(read >= static_cast<double>(low))) return false;
  *number = read < static_cast<double>(high) ? static_cast<uint64_t>(read) : high;
  return true;
}

Status ReadColumns(Napi::Value value, ColumnSet* columns) {
  if (!value.IsObject()) return Invalid("columns must be an object");
  auto chosen = value.As<Napi::Object>();
  const Napi::Value time = chosen.Get("time"), tag = chosen.Get("tag"), second = chosen.Get("second");
  if (value.Env().IsExceptionPending()) return Invalid("columns cannot be read");
  *columns = {time.ToBoolean(), tag.ToBoolean(), second.ToBoolean()};
  return Status();
}

Status ReadIndexOptions(Napi::Value value, IndexOptions* options) {
  if (!value.IsObject()) return Invalid("options must be an object");
  auto object = value.As<Napi::Object>();
  Status status =
      ReadDistance(object.Get("maxDistance"), kMaxDistance, "maxDistance", &options->max_distance);
  ReadNumber(object.Get("headEntries"), 1, uint64_t{1} << 24, &options->head_entries);
  ReadNumber(object.Get("maxMatches"), 0, options->max_matches, &options->max_matches);
  const Napi::Value bytes = object.Get("bytesPerEntry"), columns = object.Get("columns");
  if (bytes.IsNumber()) options->bytes_per_entry = std::max(0.0, bytes.As<Napi::Number>().DoubleValue());
  if (status.ok() && columns.IsObject()) status = ReadColumns(columns, &options->columns);
  return status;
}

Napi::Value MatchesValue(Napi::Env env, const QueryResult& result) {
  Napi::Float64Array offsets = NewArray<Napi::Float64Array>(env, result.offsets.size());
  Napi::Float64Array ids = NewArray<Napi::Float64Array>(env, result.matches.size());
  Napi::Uint8Array distances = NewArray<Napi::Uint8Array>(env, result.matches.size());
  std::copy(result.offsets.begin(), result.offsets.end(), offsets.Data());
  double* id = ids.Data();
  uint8_t* distance = distances.Data();
  for (size_t i = 0; i < result.matches.size(); i++) {
    id[i] = static_cast<double>(result.matches[i].id);
    distance[i] = static_cast<uint8_t>(result.matches[i].distance);
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("offsets", offsets);
  object.Set("ids", ids);
  object.Set("distances", distances);
  return object;
}

Napi::Value OutcomesValue(Napi::Env env, const std::vector<AddOutcome>& outcomes) {
  Napi::Uint8Array added = NewArray<Napi::Uint8Array>(env, outcomes.size());
  Napi::Float64Array nearest_ids = NewArray<Napi::Float64Array>(env, outcomes.size());
  Napi::Uint8Array nearest_distances = NewArray<Napi::Uint8Array>(env, outcomes.size());
  for (size_t i = 0; i < outcomes.size(); i++) {
    added.Data()[i] = outcomes[i].added;
    nearest_ids.Data()[i] = outcomes[i].added ? -1 : static_cast<double>(outcomes[i].nearest.id);
    nearest_distances.Data()[i] = static_cast<uint8_t>(outcomes[i].nearest.distance);
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("added", added);
  object.Set("nearestIds", nearest_ids);
  object.Set("nearestDistances", nearest_distances);
  return object;
}

Napi::Value PairsValue(Napi::Env env, const std::vector<Pair>& pairs) {
  Napi::Float64Array first = NewArray<Napi::Float64Array>(env, pairs.size());
  Napi::Float64Array second = NewArray<Napi::Float64Array>(env, pairs.size());
  Napi::Uint8Array distances = NewArray<Napi::Uint8Array>(env, pairs.size());
  for (size_t i = 0; i < pairs.size(); i++) {
    first.Data()[i] = static_cast<double>(pairs[i].first_id);
    second.Data()[i] = static_cast<double>(pairs[i].second_id);
    distances.Data()[i] = static_cast<uint8_t>(pairs[i].distance);
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("firstIds", first);
  object.Set("secondIds", second);
  object.Set("distances", distances);
  return object;
}

Napi::Value EntriesValue(Napi::Env env, const Listing& listing, ColumnSet columns, size_t from, size_t to) {
  const size_t count = to - from;
  Napi::Object object = Napi::Object::New(env);
  const auto set = [&](const char* name, auto array, const auto& value) {
    auto* data = array.Data();
    for (size_t i = 0; i < count; ++i) data[i] = value(listing[from + i]);
    object.Set(name, array);
  };
  set("fingerprints", NewArray<Napi::BigUint64Array>(env, count),
      [](const Entry& e) { return e.fingerprint; });
  set("ids", NewArray<Napi::Float64Array>(env, count),
      [](const Entry& e) { return static_cast<double>(e.id); });
  if (columns.time)
    set("times", NewArray<Napi::Float64Array>(env, count),
        [](const Entry& e) { return static_cast<double>(e.time); });
  if (columns.tag) set("tags", NewArray<Napi::Uint32Array>(env, count), [](const Entry& e) { return e.tag; });
  if (columns.second)
    set("secondFingerprints", NewArray<Napi::BigUint64Array>(env, count),
        [](const Entry& e) { return e.second; });
  return object;
}

Napi::Value StatsValue(Napi::Env env, const Index& index) {
  const auto number = [&](auto value) { return Napi::Number::New(env, static_cast<double>(value)); };
  const View& parts = index.parts();
  std::vector<const SegmentPart*> largest_first;
  for (const SegmentPart& part : parts.segments) largest_first.push_back(&part);
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [](auto* a, auto* b) { return a->size() > b->size(); });
  Napi::Array segments = Napi::Array::New(env, largest_first.size());
  for (uint32_t i = 0; i < largest_first.size(); ++i) {
    const SegmentPart& part = *largest_first[i];
    Napi::Object object = Napi::Object::New(env);
    object.Set("entries", number(part.size()));
    object.Set("removed", number(part.removed.count()));
    object.Set("fingerprints", number(part.segment->fingerprint_count()));
    object.Set("bytes", number(part.segment->bytes() + part.removed.bytes()));
    object.Set("mappedBytes", number(part.segment->mapped_bytes()));
    object.Set("tables", number(part.segment->table_count()));
    object.Set("longestBucket", number(part.segment->longest_bucket()));
    segments.Set(i, object);
  }
  uint64_t head = 0;
  for (const HeadPart& part : parts.heads) head += part.size();
  Napi::Object object = Napi::Object::New(env);
  object.Set("entries", number(index.size()));
  object.Set("bytes", number(index.bytes()));
  object.Set("mappedBytes", number(index.mapped_bytes()));
  object.Set("headEntries", number(head));
  object.Set("segments", segments);
  object.Set("merging", Napi::Boolean::New(env, index.merging()));
  return object;
}

Napi::Value MatchList(Napi::Env env, const std::vector<Match>& matches) {
  Napi::Float64Array list = NewArray<Napi::Float64Array>(env, 2 * matches.size());
  double* at = list.Data();
  for (const Match& match : matches) {
    *at++ = static_cast<double>(match.id);
    *at++ = match.distance;
  }
  return list;
}

}  // namespace neardup::binding

// Each topic of the binding adds its methods to the engine object.
#ifndef NEARDUP_BINDING_REGISTER_H_
#define NEARDUP_BINDING_REGISTER_H_

#include <napi.h>

namespace neardup::binding {

// hashBytes, hashStrings, accumulate, distances (fingerprint.cc).
void RegisterFingerprint(Napi::Env env, Napi::Object engine);

// minHash, checksums (sets.cc).
void RegisterSets(Napi::Env env, Napi::Object engine);

// createFingerprinter (text_hasher.cc).
void RegisterFingerprinter(Napi::Env env, Napi::Object engine);

// fingerprintBatchAsync (batch_job.cc).
void RegisterBatchJob(Napi::Env env, Napi::Object engine);

// createIndex (index.cc).
void RegisterIndex(Napi::Env env, Napi::Object engine);

// listPlans, measureCosts (plans.cc).
void RegisterPlans(Napi::Env env, Napi::Object engine);

// checkSegment (index_storage.cc).
void RegisterStorage(Napi::Env env, Napi::Object engine);

// tryLockFile (file_lock.cc).
void RegisterFileLock(Napi::Env env, Napi::Object engine);

// createKeySet, createBloom, mapBloom (urls.cc).
void RegisterUrls(Napi::Env env, Napi::Object engine);

}  // namespace neardup::binding

#endif  // NEARDUP_BINDING_REGISTER_H_

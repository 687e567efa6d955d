{
  "targets": [
    {
      "target_name": "neardup",
      "sources": ["<!@(node scripts/native-sources.mjs addon)"],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")", "native"],
      "defines": ["NAPI_VERSION=8", "NAPI_DISABLE_CPP_EXCEPTIONS", "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"],
      "cflags_cc": ["-std=c++17", "-O3", "-fexceptions", "-fvisibility=hidden", "-Wall", "-Wextra"],
      "cflags_cc!": ["-fno-exceptions", "-std=gnu++20", "-std=gnu++17"],
      "conditions": [
        ["OS=='linux'", { "ldflags": ["-static-libstdc++", "-Wl,--exclude-libs,ALL", "-Wl,--gc-sections"] }],
        ["OS=='mac'", {
          "xcode_settings": {
            "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
            "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
            "GCC_OPTIMIZATION_LEVEL": "3",
            "MACOSX_DEPLOYMENT_TARGET": "11.0"
          }
        }],
        ["OS=='win'", { "msvs_settings": { "VCCLCompilerTool": { "ExceptionHandling": 1, "AdditionalOptions": ["/std:c++17"] } } }]
      ]
    }
  ]
}

// node run.cjs DRIVER READERS TARGET [argument of libFuzzer ...]: fuzzes a reader that is JavaScript.
const [driver, readers, target, ...options] = process.argv.slice(2);
require(driver).run(options, require(readers).targets[target]);

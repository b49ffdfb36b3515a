import { lookup } from 'node:dns';

// Looks up the name that is its argument, and prints what the system knows of it: see NameLookup.

lookup(process.argv[2], { all: true }, (error, addresses) => {
  process.stdout.write(JSON.stringify(error ? { code: error.code } : { addresses }));
});

// Two clients on ioredis call using() with autoExtend for the same key, and work for longer than an extension takes.
const fs = require('fs');
const path = require('path');
const ts = require('typescript');

// The package has its TypeScript only.
require.extensions['.ts'] = (module, file) => module._compile(ts.transpileModule(fs.readFileSync(file, 'utf8'), {
  compilerOptions: { module: 'commonjs', target: 'es2022', esModuleInterop: true },
}).outputText, file);
const library = path.join(__dirname, 'node_modules', 'node-redlock');
const { Redlock } = require(path.join(library, 'redlock.ts'));
const { IoredisClient } = require(path.join(library, 'IoRedisClient.ts'));
const { default: Redis } = require('ioredis');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  const redlock = new Redlock([new IoredisClient(client)]);
  for (let round = 0; round < 3; round++) {
    try {
      await redlock.using('jobs', 1000, () => pause(900), { autoExtend: true });
    } catch (error) {
      console.error(error.message);
    }
  }
}

const clients = [1, 2].map(() => new Redis(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.disconnect()));

// Two clients on node-redis call acquireLock() for the same key, work for 300 ms, and call releaseLock(), twice.
const fs = require('fs');
const path = require('path');
const ts = require('typescript');

// The package has its TypeScript only.
require.extensions['.ts'] = (module, file) => module._compile(ts.transpileModule(fs.readFileSync(file, 'utf8'), {
  compilerOptions: { module: 'commonjs', target: 'es2022', esModuleInterop: true },
}).outputText, file);
const library = path.join(__dirname, 'node_modules', 'node-redlock');
const { Redlock } = require(path.join(library, 'redlock.ts'));
const { RedisjsClient } = require(path.join(library, 'RedisJsClient.ts'));
const { createClient } = require('redis');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  await client.connect();
  const redlock = new Redlock([new RedisjsClient(client)]);
  for (let round = 0; round < 2; round++) {
    const lock = await redlock.acquireLock('jobs', 2000);
    await pause(300);
    await redlock.releaseLock(lock.resource, lock.value);
  }
  await pause(100);  // nobody else waits for the last answer
}

const clients = [1, 2].map(() => createClient({ url: process.env.REDIS_URL }));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.disconnect()));

// Two processes lock() the same name twice, refresh it when half of the lease is over, and release it.
const { fork } = require('child_process');
const { createClient } = require('redis');
const { lock } = require('simple-redis-mutex');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work() {
  const client = createClient({ url: process.env.REDIS_URL });
  await client.connect();
  for (let round = 0; round < 2; round++) {
    const release = await lock(client, 'jobs', { timeout: 1500 });
    await pause(750);
    await release.refreshTimeout();
    await pause(250);
    await release();
  }
  process.exit();
}

if (process.send) work();
else [1, 2].forEach(() => fork(__filename));

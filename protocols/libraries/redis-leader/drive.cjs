// Two candidates are elected one after the other, lead for 800 ms, which is longer than half of the lease, and stop.
const { once } = require('events');
const redis = require('redis');
const Leader = require('redis-leader');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  const leader = new Leader(client, { key: 'jobs', ttl: 1200, wait: 1000 });
  for (let round = 0; round < 2; round++) {
    leader.elect();
    await once(leader, 'elected');
    await pause(800);
    leader.stop();
    await once(leader, 'revoked');
  }
}

const clients = [1, 2].map(() => redis.createClient(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.quit()));

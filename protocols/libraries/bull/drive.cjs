// Two workers look for stalled jobs and for one to do, as protocol.lua does, by the package's own steps; each does the
// job for longer than it takes to extend its lock, twice. The job is added by the script of protocol.lua's, and the
// timestamps, which no script decides by here, are 0, as there.
Date.now = () => 0;
const Queue = require('bull');

const ADD = 'if redis.call("HSETNX", KEYS[1], "opts", "{}") == 1 then redis.call("LPUSH", KEYS[2], ARGV[1]) end';
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(queue) {
  queue.handlers['*'] = job => {
    job.opts.removeOnComplete = true;
    return pause(900);
  };
  await queue.isReady();
  for (let round = 0; round < 2;) {
    await queue.client.eval(ADD, 2, 'bull:q:jobs', 'bull:q:wait', 'jobs');
    await queue.moveUnlockedJobsToWait();
    const job = await queue.moveToActive();
    if (job) {
      await queue.processJob(job, true);
      round++;
    } else {
      await pause(300);
    }
  }
}

const settings = { lockDuration: 1500, stalledInterval: 4000 };
const queues = [1, 2].map(() => new Queue('q', process.env.REDIS_URL, { settings }));
Promise.all(queues.map(work)).finally(() => queues.forEach(queue => queue.client.disconnect()));

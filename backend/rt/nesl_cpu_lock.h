#ifndef NESL_CPU_LOCK_H
#define NESL_CPU_LOCK_H
/* What batches of rows share (nesl_cpu_batch.h): memory, counts.  Outside of batches there is one thread that comes to these, and
 * no lock is taken. */

static NESL_THREAD nesl_batch *nesl_in_batch;   /* the one that this thread runs; NULL: none */

NESL_OWN nesl_batch *
nesl_this_batch(void)
{
	return nesl_in_batch;
}

/* nesl_stack_end of this thread, which takes microseconds, asked for once. */
NESL_OWN uintptr_t
nesl_own_stack_end(void)
{
	static NESL_THREAD uintptr_t end;

	if (end == 0)
		end = nesl_stack_end();
	return end;
}

static NESL_THREAD int nesl_locks;      /* this thread's, one within the other */

#ifdef _OPENMP
static int nesl_lock_taken;

NESL_OWN void
nesl_lock(void)
{
	enum { POLLS = 1000 };          /* then others may have the processor */

	if (!nesl_in_batch || nesl_locks++ > 0)
		return;
	for (int i = 0; __atomic_exchange_n(&nesl_lock_taken, 1, __ATOMIC_ACQUIRE); i++)
		if (i >= POLLS)
			sched_yield();
}

NESL_OWN void
nesl_unlock(void)
{
	if (nesl_in_batch && --nesl_locks == 0)
		__atomic_store_n(&nesl_lock_taken, 0, __ATOMIC_RELEASE);
}
#else
NESL_OWN void nesl_lock(void) {}
NESL_OWN void nesl_unlock(void) {}
#endif

/* All of them: the thread leaves. */
NESL_OWN void
nesl_unlock_all(void)
{
	if (nesl_locks > 0) {
		nesl_locks = 1;
		nesl_unlock();
	}
}

#endif

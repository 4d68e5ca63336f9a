/* device.c: is there a GPU, and which? */
#include <dlfcn.h>
#include <string.h>
#include "backend/device.h"

typedef int DriverCall(int);
typedef int CountCall(int *);
typedef int DeviceCall(int *, int);
typedef int AttributeCall(int *, int, int);

enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76, ERROR_NO_DEVICE = 100 };   /* cuda.h */

/* ISO C has no conversion from dlsym's object pointer to a function pointer. */
static void
look_up(void *library, const char *name, void *function)
{
	void *at = dlsym(library, name);

	memcpy(function, &at, sizeof at);
}

static DeviceState
ask(void *library, int *arch)
{
	DriverCall *init;
	CountCall *count;
	DeviceCall *get;
	AttributeCall *attribute;
	int n = 0, device, major, minor, status;

	look_up(library, "cuInit", &init);
	look_up(library, "cuDeviceGetCount", &count);
	look_up(library, "cuDeviceGet", &get);
	look_up(library, "cuDeviceGetAttribute", &attribute);
	if (!init || !count || !get || !attribute)
		return DEVICE_DRIVER_FAILS;
	status = init(0);
	if (status != 0)
		return status == ERROR_NO_DEVICE ? DEVICE_NONE : DEVICE_DRIVER_FAILS;
	if (count(&n) != 0)
		return DEVICE_DRIVER_FAILS;
	if (n == 0)
		return DEVICE_NONE;
	if (get(&device, 0) != 0 || attribute(&major, CAPABILITY_MAJOR, device) != 0
	    || attribute(&minor, CAPABILITY_MINOR, device) != 0)
		return DEVICE_DRIVER_FAILS;
	*arch = 10 * major + minor;
	return DEVICE_THERE;
}

DeviceState
device_find(int *arch)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	/* Never closed: the driver has threads of its own once cuInit has run. */
	return library ? ask(library, arch) : DEVICE_NO_DRIVER;
}

const char *
device_text(DeviceState s)
{
	switch (s) {
	case DEVICE_THERE:
		return "a device is there";
	case DEVICE_NO_DRIVER:
		return "there is no NVIDIA driver on this machine (libcuda.so.1 not found)";
	case DEVICE_DRIVER_FAILS:
		return "the NVIDIA driver on this machine does not start (nvidia-smi may say why)";
	case DEVICE_NONE:
		return "the NVIDIA driver finds no GPU";
	}
	return "";
}

#ifndef NESSIE_DEVICE_H
#define NESSIE_DEVICE_H
/* Is there a GPU?  Asked through the driver's library, opened at run time: nessie links no CUDA. */

typedef enum { DEVICE_THERE, DEVICE_NO_DRIVER, DEVICE_DRIVER_FAILS, DEVICE_NONE } DeviceState;

/* *arch: 75, 80, 90 ... of the first device, if it is there. */
DeviceState device_find(int *arch);
/* What is missing, for the user. */
const char *device_text(DeviceState s);

#endif

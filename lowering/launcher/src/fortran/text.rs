//! Text that is the same in the module of every package; `pkg_` is its prefix.

/// Statuses of the library and their meaning.
pub(super) const STATUSES: &[(&str, u8, &str)] = &[
    ("ok", 0, "it is done"),
    ("error_package", 1, "the package lacks what was asked for"),
    ("error_argument", 2, "a null pointer, strides that are not supported, overlapping memory"),
    ("error_program", 3, "the program has no result for these numbers"),
    ("error_environment", 4, "no CUDA driver, device or memory"),
    ("error_kernel", 5, "a kernel cannot be launched, or failed"),
    ("error_internal", 70, "a defect of the library"),
];
/// What is said of an array, to be added up.
pub(super) const FLAGS: &[(&str, u8, &str)] =
    &[("on_host", 1, "it is in memory of the host"), ("read_only", 2, "it must not change")];

/// The head of the module.
pub(super) const INTRODUCTION: &str =
    "!> Functions of '@STEM@' for @TARGET@, by @PRODUCER@: a module over @STEM@.c.
!>
!> A handle holds the kernels, loaded into the current CUDA context:
!>
!>     type(pkg_handle) :: kernels
!>     call kernels%create()
!>     call kernels%run(..., stream=..., status=...)
!>     call kernels%destroy()
!>
!> A field is an address in device memory, a type(c_ptr): c_loc of an array inside
!> '!$acc host_data use_device', or what cudaMalloc gave. An array declared with the bounds below
!> has the layout of the field; one with padding or on the host is given as a pkg_field.
!> Without 'status' an error ends the program with its message; with it, 'status' is pkg_ok or
!> an error, and last_error() the message. Work is queued on the stream and not waited for.
module pkg_
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private

";

/// Types, up to the functions of the package.
pub(super) const FIELD: &str = "
  !> A field as the library takes it. 'strides' is the address of integer(c_int64_t): bytes from a
  !> cell to the next for each dimension, in the order of C, the contiguous one last. What is not
  !> given is as the field has it.
  type, bind(C), public :: pkg_field
    type(c_ptr) :: data = c_null_ptr
    type(c_ptr) :: extents = c_null_ptr
    type(c_ptr) :: strides = c_null_ptr
    integer(c_int32_t) :: rank = 0
    integer(c_int32_t) :: cell_type = 0
    !> A sum of pkg_on_host and pkg_read_only.
    integer(c_int32_t) :: flags = 0
  end type

  !> The kernels of the package. Runs of one handle share its temporary memory: give them the same
  !> stream, or wait between them.
  type, public :: pkg_handle
    private
    type(c_ptr) :: address = c_null_ptr
  contains
    !> Loads the kernels into the current context, or where none is, on the first device.
    procedure, public :: create => pkg_bound_create
    !> Waits for the context, and frees everything.
    procedure, public :: destroy => pkg_bound_destroy
    !> What the last error of this thread was.
    procedure, public, nopass :: last_error => pkg_bound_last_error
    !> Waits for a stream; the error of a kernel that failed names it.
    procedure, public :: synchronize => pkg_bound_synchronize
    !> Has every launch waited for, so that an error names one kernel.
    procedure, public :: set_synchronous => pkg_bound_set_synchronous
";

/// The interface of the library.
pub(super) const C_FUNCTIONS: &str = r#"  end type

  public :: pkg_create, pkg_destroy, pkg_last_error
  public :: pkg_synchronize, pkg_set_synchronous

  !> The functions of the header.
  interface
    function pkg_create(handle) bind(C, name="@C@_create") result(code)
      import
      type(c_ptr), intent(out) :: handle
      integer(c_int) :: code
    end function

    subroutine pkg_destroy(handle) bind(C, name="stencil_module_free")
      import
      type(c_ptr), value :: handle
    end subroutine

    function pkg_last_error() bind(C, name="stencil_last_error") result(text)
      import
      type(c_ptr) :: text
    end function

    function pkg_synchronize(handle, stream) bind(C, name="stencil_synchronize") result(code)
      import
      type(c_ptr), value :: handle
      type(c_ptr), value :: stream
      integer(c_int) :: code
    end function

    subroutine pkg_set_synchronous(handle, synchronous) bind(C, name="stencil_set_synchronous")
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: synchronous
    end subroutine

    function pkg_length(text) bind(C, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
"#;

/// Procedures that do not depend on the package.
pub(super) const PROCEDURES: &str = "
contains

  subroutine pkg_bound_create(self, status)
    class(pkg_handle), intent(inout) :: self
    integer(c_int), intent(out), optional :: status
    ! The kernels that it has are unloaded: nothing else knows them afterwards.
    if (c_associated(self%address)) call pkg_destroy(self%address)
    self%address = c_null_ptr
    call pkg_bound_report(self, pkg_create(self%address), status)
  end subroutine

  subroutine pkg_bound_destroy(self)
    class(pkg_handle), intent(inout) :: self
    call pkg_destroy(self%address)
    self%address = c_null_ptr
  end subroutine

  function pkg_bound_last_error() result(text)
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: start
    integer(c_size_t) :: length, index
    start = pkg_last_error()
    length = pkg_length(start)
    call c_f_pointer(start, letters, [length])
    allocate(character(len=length) :: text)
    do index = 1, length
      text(index:index) = letters(index)
    end do
  end function

  subroutine pkg_bound_synchronize(self, stream, status)
    class(pkg_handle), intent(in) :: self
    type(c_ptr), intent(in), optional :: stream
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: queue
    queue = c_null_ptr
    if (present(stream)) queue = stream
    call pkg_bound_report(self, pkg_synchronize(self%address, queue), status)
  end subroutine

  subroutine pkg_bound_set_synchronous(self, synchronous)
    class(pkg_handle), intent(in) :: self
    logical, intent(in) :: synchronous
    call pkg_set_synchronous(self%address, merge(1_c_int, 0_c_int, synchronous))
  end subroutine

  !> Hands an error to the caller, or ends the program with it.
  subroutine pkg_bound_report(self, code, status)
    class(pkg_handle), intent(in) :: self
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: status
    if (present(status)) then
      status = code
    else if (code /= pkg_ok) then
      write (error_unit, '(2a)') '@STEM@: ', self%last_error()
      error stop 1
    end if
  end subroutine
";

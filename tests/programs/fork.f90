! A child of fork() writes to a unit and to standard output, and ends by STOP. Started by fork.sh.
program forks
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function fork() bind(c) result(id)
      import
      integer(c_int) :: id
    end function
    function wait(status) bind(c) result(id)
      import
      integer(c_int) :: status, id
    end function
  end interface
  integer, parameter :: n = 200
  double precision :: a(n, n), b(n, n), c(n, n)
  integer(c_int) :: id, status
  a = 1
  b = 2
  call dgemm('N', 'T', n, n, n, 1d0, a, n, b, n, 0d0, c, n)
  open (10, file='unit')
  id = fork()
  if (id == 0) then
    call dgemm('N', 'T', n, n, n, 1d0, a, n, b, n, 0d0, c, n)
    write (10, *) 'child', int(c(n, n))
    write (*, *) 'child', int(c(n, n))
    stop
  end if
  id = wait(status)
end program

// A self-test is of a small domain, on which the compiler would choose another plan: it is to have
// the plan of the package. Keys without effect in that other plan were an error.
//
// RUN: stencilc compile %s --plan=steps=12 -o %t.spk | FileCheck %s
// RUN: %python -c "import json, zipfile; z = zipfile.ZipFile('%t.spk'); print(*sorted({(n.split('/')[0], k['plan'].get('steps', 1), k['plan'].get('chunks', 1)) for n in z.namelist() if n.endswith('manifest.json') for k in json.loads(z.read(n))['kernels']}), sep='\n')" | FileCheck %s --check-prefix=PLANS
//
// CHECK:      plan {{.*}}stage0:{{.*}}mapping=warp{{.*}}steps=12
// CHECK:      verify {{ *}}plain kernels, and a self-test at 63x63
//
// PLANS-DAG: ('manifest.json', 12, 1)
// PLANS-DAG: ('plain', 1, 1)
// PLANS-DAG: ('selftest', 12, 1)
// PLANS-NOT: ('selftest', 2,

!field = !stencil.field<[-1,65]x[-1,65]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @heat(%u: !field, %v: !field, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %new = stencil.apply(%x = %values : !temp) -> (!temp) {
      %n = stencil.access %x[-1, 0] : !temp
      %e = stencil.access %x[0, 1] : !temp
      %a = arith.addf %n, %e : f64
      stencil.return %a : f64
    }
    stencil.store %new to %next(<[0, 0], [64, 64]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
